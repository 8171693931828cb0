"""The pages for everybody: start page, rating, results, API documentation."""
