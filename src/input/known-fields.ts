import type { ErrorObject } from 'ajv'

export interface FieldSchema {
  type?: string | readonly string[]
  properties?: Record<string, FieldSchema>
  items?: FieldSchema
  headersWithin?: number
  maxItems?: number
  maxProperties?: number
  required?: unknown
  minProperties?: unknown
  else?: object
  additionalProperties?: unknown
  /** Without one of these fields, the operation would affect more. */
  absenceWidens?: readonly string[]
  emptyIsAbsent?: true
}

export const maxFieldFaults = 100

/** A body may have 175,000 items. Validating them would block the process. */
export function keepKnownFields(
  schema: FieldSchema,
  value: unknown,
  faults: ErrorObject[],
  instancePath = '',
): unknown {
  const { properties, items, maxItems: limit = Number.POSITIVE_INFINITY } = schema
  const add = (keyword: string, params: object): void => {
    if (faults.length < maxFieldFaults)
      faults.push({ keyword, params, instancePath, schemaPath: '', parentSchema: schema, data: value })
  }
  if (Array.isArray(value)) {
    // PHP writes an empty object as [].
    if ([schema.type].flat().includes('object'))
      return value.length === 0 && !requiresField(schema) ? {} : value
    if (value.length > limit) add('maxItems', { limit })
    return items === undefined
      ? value
      : value
          .slice(0, limit)
          .map((each, index) => keepKnownFields(items, each, faults, `${instancePath}/${index}`))
  }
  if (typeof value !== 'object' || value === null) return value
  if (properties === undefined) {
    const { maxProperties = Number.POSITIVE_INFINITY } = schema
    const entries = Object.entries(value)
    if (entries.length <= maxProperties) return value
    add('maxProperties', { limit: maxProperties })
    return Object.fromEntries(entries.slice(0, maxProperties))
  }
  const isStrict = schema.absenceWidens !== undefined || schema.additionalProperties === false
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const field = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (field !== undefined)
        return isAbsent(schema, name, each)
          ? []
          : [[name, keepKnownFields(field, each, faults, `${instancePath}/${name}`)]]
      if (isStrict || namesOf(properties).has(foldName(name)))
        add('additionalProperties', { additionalProperty: name })
      return []
    }),
  )
}

export function requiresField({ required, minProperties, else: otherwise = {} }: FieldSchema): boolean {
  const underCondition: FieldSchema = otherwise
  return (required ?? minProperties ?? underCondition.required) !== undefined
}

export const nullMeansAbsent = (
  { required = [], absenceWidens = [], properties = {} }: FieldSchema,
  name: string,
): boolean =>
  ![...(required as string[]), ...absenceWidens].includes(name) &&
  ![properties[name]?.type].flat().includes('null')

const isAbsent = (schema: FieldSchema, name: string, value: unknown): boolean =>
  value === null
    ? nullMeansAbsent(schema, name)
    : value === '' && schema.properties?.[name]?.emptyIsAbsent === true

const foldedNames = new WeakMap<object, Set<string>>()

function namesOf(properties: object): Set<string> {
  const names = foldedNames.get(properties) ?? new Set(Object.keys(properties).map(foldName))
  foldedNames.set(properties, names)
  return names
}

/** U+0307 is the dot that remains when İ is lower-cased. */
const separators = /[\s\p{Pd}\p{Pc}\p{C}\p{Default_Ignorable_Code_Point}\u0307]/gu

/** NFKC can take quadratic time. */
const comparedLength = 256

const plain = /^[a-z\d]+$/i

/** Upper-cases first, because only that makes ı and ſ equal to i and s. */
export function foldName(name: string): string {
  const compared = name.slice(0, comparedLength)
  if (plain.test(compared)) return compared.toLowerCase()
  return compared.normalize('NFKC').toUpperCase().toLowerCase().replaceAll(separators, '')
}

/** Short names often share letters by chance. */
const shortName = 4

/** The nearest name shares the most letter pairs with `name`. */
export function findNearestName(known: readonly string[], name: string): string | undefined {
  if (foldName(name).length <= shortName)
    return known.find((each) => isOneEditAway(foldName(each), foldName(name)))
  const wanted = pairsOf(name)
  const nearness = (each: string): number => {
    const pairs = pairsOf(each)
    return wanted.filter((pair) => pairs.includes(pair)).length / (wanted.length + pairs.length)
  }
  return known.filter((each) => nearness(each) >= 0.2).toSorted((a, b) => nearness(b) - nearness(a))[0]
}

/** Two swapped letters count as one edit. */
function isOneEditAway(one: string, other: string): boolean {
  let [start, end] = [0, one.length]
  while (start < end && one[start] === other[start]) start += 1
  const shift = other.length - one.length
  while (end > start && end + shift > start && one[end - 1] === other[end + shift - 1]) end -= 1
  const [left, right] = [one.slice(start, end), other.slice(start, end + shift)]
  const isSwap = left.length === 2 && left === `${right[1]}${right[0]}` && right.length === 2
  return isSwap || Math.max(left.length, right.length) <= 1
}

const pairsOf = (name: string): string[] => {
  const letters = foldName(name)
  return Array.from(letters, (_, index) => letters.slice(index, index + 2))
}
