"""Python client of Hermes; see `hermes_client`."""
