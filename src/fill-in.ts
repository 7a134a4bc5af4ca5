import type { Connection } from 'mongoose'
import type { Collection, Index } from './collection.ts'

/** Written well within the 5 s that a call may take. */
const mostAtOnce = 500

/** Who lacks a field. Nobody, but right after an upgrade: so asking costs nothing, however large the collection is. */
export const lacking = (field: string): Index => ({
  name: `without-${field}`,
  key: { [field]: 1 },
  partialFilterExpression: { [field]: null },
})

/**
 * Fills in what an earlier version did not write, and answers in how many documents. `release` does it before a new version runs, and the
 * sweep again for what a process of the earlier one wrote afterwards. What somebody else has filled in meanwhile stays as it is.
 */
export async function fillIn(mongo: Pick<Connection, 'collection'>, collection: Collection): Promise<number> {
  const { name, backfill } = collection
  if (backfill === undefined) return 0
  const { missing, set } = backfill
  const documents = mongo.collection(name)
  const filter = { [missing]: null }
  const options = { projection: { _id: 1 }, limit: mostAtOnce, hint: lacking(missing).name }
  for (let filled = 0; ; ) {
    const found = await documents.find(filter, options).toArray()
    if (found.length === 0) return filled
    const ids = found.map(({ _id }) => _id)
    const { matchedCount } = await documents.updateMany({ _id: { $in: ids }, ...filter }, [{ $set: set }])
    filled += matchedCount
    if (found.length < mostAtOnce) return filled
  }
}
