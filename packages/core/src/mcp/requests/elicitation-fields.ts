import { z } from 'zod'

const option = z.looseObject({ const: z.string(), title: z.string().optional() })

const schema = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  enum: z.array(z.string()).optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: z.array(option).optional(),
  items: z.looseObject({ enum: z.array(z.string()).optional(), anyOf: z.array(option).optional() }).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
})

export type FieldValue = string | number | boolean | string[]

/** One thing that a server wants to know. */
export interface ElicitationField {
  readonly key: string
  readonly label: string
  readonly isRequired: boolean
  readonly isSecret: boolean
  readonly default: FieldValue | undefined
  /** What can be chosen, as people see it; empty: anything. */
  readonly choices: readonly string[]
  /** What an answer means; undefined where it is none. */
  read(answer: string): FieldValue | undefined
  /** What an answer has to be, for people. */
  readonly hint: string
}

/** Most fields of one form: nobody answers more questions in a row. */
export const maxFields = 20

/** The fields of a form, in their order. */
export function elicitationFields(requested: unknown): readonly ElicitationField[] {
  const form = z
    .looseObject({ properties: z.record(z.string(), schema).default({}), required: z.array(z.string()).default([]) })
    .parse(requested)
  return Object.entries(form.properties).map(([key, field]) => fieldOf(key, field, form.required.includes(key)))
}

function fieldOf(key: string, field: z.output<typeof schema>, isRequired: boolean): ElicitationField {
  const title = field.title ?? key
  const label = field.description ? `${title} (${field.description})` : title
  return {
    key,
    label,
    isRequired,
    isSecret: /passw|secret|token|api.?key|\bpin\b/i.test(`${key} ${title}`),
    default: field.default,
    ...kindOf(field),
  }
}

type FieldKind = Pick<ElicitationField, 'choices' | 'read' | 'hint'>

function kindOf(field: z.output<typeof schema>): FieldKind {
  if (field.type === 'boolean') return yesOrNo
  if (field.type === 'number' || field.type === 'integer') return numberKind(field)
  const many = field.items?.anyOf ?? field.items?.enum?.map((value) => ({ const: value, title: value }))
  if (field.type === 'array') return manyOf(titled(many ?? []))
  const titles = field.enumNames
  const one = field.oneOf ?? field.enum?.map((value, index) => ({ const: value, title: titles?.[index] ?? value }))
  return one ? oneOf(titled(one)) : textKind(field)
}

const yesOrNo: FieldKind = {
  choices: ['yes', 'no'],
  hint: 'yes or no',
  read: (answer) => (/^(y|yes|true)$/i.test(answer) ? true : /^(n|no|false)$/i.test(answer) ? false : undefined),
}

function numberKind({ type, minimum = -Infinity, maximum = Infinity }: z.output<typeof schema>): FieldKind {
  const range = [Number.isFinite(minimum) && `from ${minimum}`, Number.isFinite(maximum) && `up to ${maximum}`]
  return {
    choices: [],
    hint: [type === 'integer' ? 'a whole number' : 'a number', ...range.filter(Boolean)].join(' '),
    read(answer) {
      const number = answer.trim() === '' ? Number.NaN : Number(answer)
      const fits = number >= minimum && number <= maximum && (type !== 'integer' || Number.isInteger(number))
      return fits ? number : undefined
    },
  }
}

function textKind({ minLength = 0, maxLength = Infinity }: z.output<typeof schema>): FieldKind {
  const limits = [minLength > 0 && `at least ${minLength} characters`, maxLength < Infinity && `at most ${maxLength}`]
  return {
    choices: [],
    hint: limits.filter(Boolean).join(', ') || 'a text',
    read: (answer) => (answer.length >= minLength && answer.length <= maxLength ? answer : undefined),
  }
}

type Titled = ReadonlyMap<string, string>

/** Values by what people see. */
function titled(options: readonly z.output<typeof option>[]): Titled {
  return new Map(options.map((one) => [one.title ?? one.const, one.const]))
}

function oneOf(options: Titled): FieldKind {
  return {
    choices: [...options.keys()],
    hint: `one of: ${[...options.keys()].join(', ')}`,
    read: (answer) => meant(answer, options),
  }
}

function manyOf(options: Titled): FieldKind {
  return {
    choices: [],
    hint: `some of these, with commas between: ${[...options.keys()].join(', ')}`,
    read(answer) {
      const parts = answer.split(',').flatMap((part) => part.trim() || [])
      const values = parts.map((part) => meant(part, options))
      return values.every((value) => value !== undefined) ? values : undefined
    },
  }
}

function meant(answer: string, options: Titled): string | undefined {
  const word = answer.trim().toLowerCase()
  for (const [title, value] of options) {
    if (title.toLowerCase() === word || value.toLowerCase() === word) return value
  }
  return undefined
}
