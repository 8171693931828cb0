"""Signing in by OpenID Connect: the one provider that the service is connected to.

Promises: whoever comes back is who the provider says, in the browser that set out, and only once;
nothing of a token is kept or logged but its subject, which callers turn into a keyed hash. A
provider that is away or slow costs a few seconds of one request and nothing else. It may use
`accounts` for the secret. Only `provider` and what it imports need the extra `oidc`.
"""
