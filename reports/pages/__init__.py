"""The pages of the reports, with the figures, the data and the script that checks a proof in the browser."""
