/** Pictures of buttons: lines in a square of 24, since not every system has letters for them. */
const lines = {
  send: 'M4 12l16-8-6 16-3-7z',
  stop: 'M7 7h10v10H7z',
  attach: 'M12 5v14M5 12h14',
  microphone: 'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM6 11a6 6 0 0 0 12 0M12 17v4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  settings: 'M4 8h10M18 8h2M4 16h2M10 16h10M16 6v4M8 14v4',
  edit: 'M5 19h4l10-10-4-4L5 15z',
  remove: 'M5 7h14M9 7V5h6v2M7 7l1 12h8l1-12',
} as const

export type IconName = keyof typeof lines

const svg = 'http://www.w3.org/2000/svg'

/** A picture for a button whose label says what it does. */
export function icon(name: IconName): SVGElement {
  const picture = document.createElementNS(svg, 'svg')
  picture.setAttribute('viewBox', '0 0 24 24')
  picture.setAttribute('class', 'icon')
  picture.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(svg, 'path')
  path.setAttribute('d', lines[name])
  picture.append(path)
  return picture
}
