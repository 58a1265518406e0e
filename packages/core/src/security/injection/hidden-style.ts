const unseen =
  /(?:^|;)\s{0,9}(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)|opacity\s{0,9}:\s{0,9}0(?:\.0{1,9})?\s{0,9}(?:;|!|$)|font-size\s{0,9}:\s{0,9}(?:0(?:\.\d{1,9})?|0?\.\d{1,9}|1)(?:px|pt|em|rem|%|vw)?\s{0,9}(?:;|!|$)|clip(?:-path)?\s{0,9}:\s{0,9}(?:rect\(\s{0,9}[01](?:px)?[\s,]|inset\(\s{0,9}(?:50|100)%)|(?:max-)?(?:width|height)\s{0,9}:\s{0,9}[01](?:px)?\s{0,9}(?:;|!|$)|(?:left|top|right|text-indent)\s{0,9}:\s{0,9}-\d{3,9}|transform\s{0,9}:\s{0,9}scale\(\s{0,9}0)/i

/** Whether a `style` attribute hides its element from people. */
export function hidesElement(style: string): boolean {
  return unseen.test(style.slice(0, maxStyleChars)) || hasOneColour(style.slice(0, maxStyleChars))
}

const maxStyleChars = 4_000

/** Text in the colour of what is behind it. */
function hasOneColour(style: string): boolean {
  const value = (name: string) =>
    new RegExp(`(?:^|;)\\s{0,9}${name}\\s{0,9}:\\s{0,9}([^;!]{1,60})`, 'i').exec(style)?.[1]
  const colour = value('color')
  const behind = value('background(?:-color)?')
  return colour !== undefined && behind !== undefined && plainColour(colour) === plainColour(behind)
}

const namedColours: Readonly<Record<string, string>> = { white: '#ffffff', black: '#000000', transparent: '#0000' }

function plainColour(written: string): string {
  const colour = written.trim().toLowerCase().replaceAll(/\s/g, '')
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/.exec(colour)
  if (short)
    return `#${short
      .slice(1)
      .map((digit) => digit + digit)
      .join('')}`
  const numbers = /^rgb\((\d{1,3}),(\d{1,3}),(\d{1,3})\)$/.exec(colour)
  if (numbers)
    return `#${numbers
      .slice(1)
      .map((part) => Number(part).toString(16).padStart(2, '0'))
      .join('')}`
  return namedColours[colour] ?? colour
}
