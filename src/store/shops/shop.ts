import { declareCollection, type Stored } from '../../mongo/declare.ts'
import { date, flag, optional, text, whole } from '../../mongo/fields.ts'

/**
 * A business has at most one shop in each environment, and keeps it. An operator creates the live one. The sandbox's,
 * which no customer can see (SPEC 8), is created when a test key first needs it.
 */
export const shops = declareCollection({
  name: 'shops',
  kept: 'forever',
  fields: {
    _id: text,
    businessId: text,
    sandbox: flag,
    name: text,
    createdAt: date,
    /** Counts imports. */
    imports: optional(whole),
  },
  indexes: [{ name: 'shopOf', key: { businessId: 1, sandbox: 1 }, unique: true }],
})
export type Shop = Stored<typeof shops>
