type Fields = Readonly<Record<string, unknown>>

/**
 * What a client sent without the fields that are `null`, in it and in objects directly in it: many encoders write an
 * optional field that is not set so, and no field that a client sends may be null. The same object where there are none.
 */
export function withoutNulls(value: Fields): Fields {
  let isClean = true
  for (const key of Object.keys(value)) {
    const field = value[key]
    if (field === null || (isFields(field) && Object.values(field).includes(null))) isClean = false
  }
  if (isClean) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) => {
      if (field === null) return []
      return [[key, isFields(field) ? withoutNull(field) : field]]
    }),
  )
}

function withoutNull(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== null))
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
