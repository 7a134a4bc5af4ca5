import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import mongoose, { type mongo } from 'mongoose'
import { files } from '../evidence/evidence.ts'

/** Writes every collection into the folder of the evidence, as extended JSON. */
export async function dump(db: mongo.Db, folder: string): Promise<void> {
  mkdirSync(join(folder, files.dump), { recursive: true })
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    const lines = await db
      .collection(name)
      .find({}, { sort: { _id: 1 } })
      .map((document) => mongoose.mongo.BSON.EJSON.stringify(document, { relaxed: false }))
      .toArray()
    writeFileSync(join(folder, files.dump, `${name}.ndjson`), lines.map((line) => `${line}\n`).join(''))
  }
}
