from fuzz_corners.campaign import main

raise SystemExit(main())
