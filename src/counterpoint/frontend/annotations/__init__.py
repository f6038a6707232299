"""What programmers say of their code in comments: a file per language of annotations."""
