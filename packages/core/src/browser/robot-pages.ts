const words =
  /access (?:to this page has been )?denied|just a moment|attention required|verify(?:ing)? (?:that )?you are (?:a )?human|are you a (?:human|robot)|not a robot|captcha|checking your browser|ddos protection|bot (?:detect|protect)|security check|unusual traffic|blocked by|request (?:was )?blocked|please enable (?:cookies|javascript) and|pardon our interruption/i

/** What to tell the model of a page that wants to know whether it is a person; undefined for others. */
export function robotWarning(title: string): string | undefined {
  if (!words.test(title)) return undefined
  return `The title ("${title.slice(0, 100)}") is that of a page that keeps robots out. Do not try again and again: wait, look for another source, or ask the person to open it and use /browser connect.`
}
