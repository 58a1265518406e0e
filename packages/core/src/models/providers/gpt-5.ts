/** Whether a model is of the family that is meant for the Responses API, whoever serves it. */
export function isGpt5(model: string): boolean {
  return /^gpt-5/i.test(model.replace(/^.*\//, ''))
}
