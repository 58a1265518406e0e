/** Leaves out what people have just been shown: for progress that is looked at again and again. */
export function lastProgress(progress: (text: string) => void): (text: string) => void {
  let last: string | undefined
  return (text) => {
    if (text === last) return
    last = text
    progress(text)
  }
}
