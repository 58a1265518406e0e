/** What to know of the way from a phone to this machine. `port`: where the gateway listens unless told otherwise. */
export function phoneSteps(port: number): readonly string[] {
  return [
    'Over plain http browsers give a page neither microphone nor installation, except on this machine itself.',
    `For that, and from outside: a reverse proxy with TLS, e.g. Caddy: phone.example.org { reverse_proxy 127.0.0.1:${port} }`,
    `Or in a Tailscale network: tailscale serve --bg ${port}, which gives an address like https://machine.tailnet.ts.net`,
  ]
}
