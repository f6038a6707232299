from mutants_semantics.campaign import main

raise SystemExit(main())
