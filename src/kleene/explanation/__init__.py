"""What a query will do, told before it runs."""
