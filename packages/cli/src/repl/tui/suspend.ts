/** A process that the kernel did not stop (its group has no shell to continue it) goes on after this, ms. */
const notStoppedMs = 300

/** Stops the program as Ctrl-Z does, with all of its process group, and calls `resume` when it goes on. */
export function suspend(resume: () => void): void {
  let timer: NodeJS.Timeout | undefined
  const goOn = () => {
    clearTimeout(timer)
    process.off('SIGCONT', goOn)
    resume()
  }
  process.on('SIGCONT', goOn)
  process.kill(0, 'SIGTSTP')
  timer = setTimeout(goOn, notStoppedMs)
}
