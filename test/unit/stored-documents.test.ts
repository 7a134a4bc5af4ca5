import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { collectionDeclarations } from '../../src/context/models.ts'
import { steps } from '../../src/migrations/steps.ts'
import type { StoredFields } from '../../src/mongo/fields.ts'

interface Recorded {
  collections: Record<string, string>
  /** By digest of `collections`, oldest first. */
  changes: Record<string, string>
}
const file = 'test/vectors/stored-documents.json'
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded

const describeFields = (fields: StoredFields): string =>
  Object.entries(fields)
    .map(([name, { type, fields: inner, options, isOptional, isSecret }]) => {
      const kind = [type].flat()[0] as { name?: string }
      const value = inner === undefined ? kind.name : `{ ${describeFields(inner)} }`
      const marks = [isOptional ? '?' : options && ' or null', isSecret && ' secret'].filter(Boolean).join('')
      return `${name}${marks}: ${value}${Array.isArray(type) ? '[]' : ''}`
    })
    .toSorted()
    .join(', ')

const collections = Object.fromEntries(
  collectionDeclarations
    .map(
      ({ name, fields, indexes }) => [name, `${describeFields(fields)}; ${JSON.stringify(indexes)}`] as const,
    )
    .toSorted(([one], [other]) => (one < other ? -1 : 1)),
)
const digest = createHash('sha256').update(JSON.stringify(collections)).digest('hex').slice(0, 16)

const { STORED_CHANGE } = process.env
const changed = Object.keys({ ...collections, ...recorded.collections }).filter(
  (name) => collections[name] !== recorded.collections[name],
)
if (STORED_CHANGE !== undefined && changed.length > 0) {
  Object.assign(recorded, { collections, changes: { ...recorded.changes, [`of ${digest}`]: STORED_CHANGE } })
  writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`)
}

describe(file, () => {
  it('says which migration step each change of stored fields or indexes needs', () => {
    const remedy = `${changed.join(', ')} changed: see "Stored documents" in CONTRIBUTING.md`
    expect(recorded.collections, remedy).to.deep.equal(collections)
    expect(Object.keys(recorded.changes).at(-1), remedy).to.equal(`of ${digest}`)
  })

  it('names every step exactly once, in order', () => {
    const reasons = Object.values(recorded.changes)
    for (const reason of reasons) expect(reason).to.match(/^(step \d+|none: \w.{10,})$/)
    const named = reasons.filter((reason) => reason.startsWith('step ')).map((reason) => reason.slice(5))
    expect(named).to.deep.equal(Object.keys(steps))
  })
})
