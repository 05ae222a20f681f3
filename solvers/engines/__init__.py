"""Ways of computing an answer, one a file. What they return are candidates until they are checked."""
