"""What can be known of a query before it runs, and decided from that."""
