/** A small page that shows the avatar and follows its states. `nonce`: lets its own style and script through. */
export function avatarPage(state: string, nonce: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hermes</title>
<style nonce="${nonce}">
  :root { color-scheme: light dark }
  body { margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: center; gap: 1rem;
    font: 1rem/1.4 system-ui, sans-serif; background: Canvas; color: CanvasText }
  #face { --tone: #7c8aa5; width: min(46vmin, 12rem); aspect-ratio: 1; border-radius: 50%;
    background: radial-gradient(circle at 35% 30%, #fff8, transparent 45%), var(--tone); transition: background-color .3s }
  [data-state=listening] #face { --tone: #2f9e6e; animation: breathe 1.6s ease-in-out infinite }
  [data-state=thinking] #face { --tone: #6b5bd6; animation: breathe 2.4s ease-in-out infinite }
  [data-state=working] #face { --tone: #c77b17; animation: turn 1.8s linear infinite }
  [data-state=speaking] #face { --tone: #2473d8; animation: breathe .7s ease-in-out infinite }
  [data-state=error] #face { --tone: #c43d3d }
  @keyframes breathe { 50% { transform: scale(1.07) } }
  @keyframes turn { to { transform: rotate(1turn) } }
  @media (prefers-reduced-motion: reduce) { #face { animation: none !important } }
</style>
<body data-state="${state}">
<div id="face" role="img" aria-label="Hermes"></div>
<div id="state" role="status">${state}</div>
<script nonce="${nonce}">
  new EventSource(location.pathname + '/events').onmessage = ({ data }) => {
    document.body.dataset.state = data
    document.getElementById('state').textContent = data
  }
</script>
</body>
</html>
`
}
