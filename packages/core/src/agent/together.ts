/** All of what was asked, without a pause where everything is told already: a promise for each would add up in each turn. */
export function together<T>(asked: readonly (T | Promise<T>)[]): readonly T[] | Promise<readonly T[]> {
  const isTold = (one: T | Promise<T>): one is T => !(one instanceof Promise)
  return asked.every(isTold) ? asked : Promise.all(asked)
}
