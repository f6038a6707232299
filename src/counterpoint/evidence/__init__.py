"""Re-checking of proofs and violations, independent of the engines that found them."""
