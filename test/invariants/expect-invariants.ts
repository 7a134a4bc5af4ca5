import { setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'
import { type Invariant, type Violation, violations } from './check.ts'
import { readDatabase } from './read-database.ts'

export const openingStock = new Map<string, number>()
const restocked = new Set<string>()

/** The merchant may change the stock of products whose ids are in this path or CSV file. */
export function noteRestocked(text: string): void {
  for (const [id] of text.matchAll(/\b[0-9a-f]{24}\b/g)) restocked.add(id)
}

type Database = { deps: { mongo: { name: string } } }
const planted = new Map<string, { invariant: Invariant; ids: string[] }[]>()
/** Only fixtures use this reference. */
export const fixtureReference = 'PI-2222222222222222'
const excused = new Map<string, Set<Invariant | 'all'>>([[fixtureReference, new Set(['all'])]])

/** Says which invariant a test breaks on purpose, and with which documents (none: any). */
export function breaks({ deps }: Database, invariant: Invariant, ...ids: string[]): void {
  const { name } = deps.mongo
  planted.set(name, [...(planted.get(name) ?? []), { invariant, ids }])
}

/** Exempts documents (or whole databases, by name) that fixtures store in an incomplete state. */
export function excuse(ids: readonly string[], invariant: Invariant | 'all' = 'all'): void {
  for (const id of ids) excused.set(id, (excused.get(id) ?? new Set()).add(invariant))
}

export function forget(databaseName: string): void {
  planted.delete(databaseName)
  excused.delete(databaseName)
}

const isExcused = (invariant: Invariant, id: string): boolean => {
  const own = excused.get(id)
  return own !== undefined && (own.has('all') || own.has(invariant))
}

/** A read takes no snapshot, and a service may still be writing. What is wrong after these pauses stays wrong. */
const settlesMs = [0, 50, 200, 1000]

/** Throws if the database breaks an invariant without an exemption, or keeps one that a test expects it to break. */
export async function expectInvariants(db: mongo.Db, cleanedBefore: number): Promise<void> {
  const name = db.databaseName
  if (excused.get(name)?.has('all')) return
  const named = planted.get(name) ?? []
  let unnamed: Violation[] = []
  let kept: typeof named = []
  for (const ms of settlesMs) {
    await pause(ms)
    const documents = await readDatabase(db)
    const isCleaned = (documents.retentionprogress ?? []).length > 0
    const found = violations(documents, { cleanedBefore, isCleaned, openingStock, restocked })
    unnamed = found.filter(
      ({ invariant, id, crashed }) =>
        crashed ||
        (!isExcused(invariant, id) &&
          !isExcused(invariant, name) &&
          !named.some(
            (each) => each.invariant === invariant && (each.ids.length === 0 || each.ids.includes(id)),
          )),
    )
    const isFound = (invariant: Invariant, id?: string) =>
      found.some((each) => each.invariant === invariant && (id === undefined || each.id === id))
    kept = named.filter(
      ({ invariant, ids: [first, ...more] }) => ![first, ...more].every((id) => isFound(invariant, id)),
    )
    if (unnamed.length === 0 && kept.length === 0) break
  }
  const lines = Object.entries(Object.groupBy(unnamed, ({ invariant }) => invariant)).map(
    ([invariant, [first, ...more]]) => `${invariant}: ${first?.id} ${first?.what}, and ${more.length} more`,
  )
  lines.push(
    ...kept.map(({ invariant, ids }) => `${[invariant, ...ids].join(' ')}: expected to be broken, but holds`),
  )
  if (lines.length > 0) throw new Error(`The stored documents break invariants:\n  ${lines.join('\n  ')}`)
}
