import { randomBytes } from 'node:crypto'
import type { Connection, mongo } from 'mongoose'
import { collectionDeclarations, updateDatabase } from '../../src/context/models.ts'
import { createLog } from '../../src/platform/log.ts'
import { forget } from '../invariants/expect-invariants.ts'

/** URLs of empty databases with all indexes, which take half a second of processor time to make. */
const free: string[] = []
const prepared = new Set<string>()
const names = new Set<string>(collectionDeclarations.map(({ name }) => name))
export const newName = (): string => `t${randomBytes(6).toString('hex')}`
export const urlOf = (serverUrl: string, name: string) => serverUrl.replace(/\/[^/?]*(\?|$)/, `/${name}$1`)

export async function borrowDatabase(serverUrl: string): Promise<string> {
  const url = free.shift() ?? urlOf(serverUrl, newName())
  await prepareDatabase({ mongodbUrl: url, mongodbCa: null })
  return url
}

export async function prepareDatabase(address: Parameters<typeof updateDatabase>[0]): Promise<void> {
  if (prepared.has(address.mongodbUrl)) return
  await updateDatabase(address, createLog('silent', 'test', null))
  prepared.add(address.mongodbUrl)
}

export async function returnDatabase({ db }: Connection, url: string): Promise<void> {
  if (db === undefined) return
  forget(db.databaseName)
  const found = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
  if ([...names].some((name) => !found.includes(name))) {
    await db.dropDatabase()
    return
  }
  await Promise.all(found.filter((name) => !names.has(name)).map((name) => db.dropCollection(name)))
  await Promise.all((await filledCollections(db)).map((name) => db.collection(name).deleteMany({})))
  free.push(url)
}

/** Only collections with documents. They are few, and deleting from all takes three times as long. */
async function filledCollections(db: mongo.Db): Promise<string[]> {
  const one = (coll: string) => [{ $limit: 1 }, { $project: { _id: 0, coll: { $literal: coll } } }]
  const [first = '', ...others] = names
  const union = others.map((coll) => ({ $unionWith: { coll, pipeline: one(coll) } }))
  const found = await db
    .collection(first)
    .aggregate([...one(first), ...union])
    .toArray()
  return found.map(({ coll }) => coll)
}
