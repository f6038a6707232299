"""Running programs on concrete inputs."""
