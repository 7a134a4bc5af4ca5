import { declareCollection, type Stored } from '../../mongo/declare.ts'
import { date, flag, optional, text, whole } from '../../mongo/fields.ts'

/** The sandbox's shop is created when a test key first needs it (SPEC 8). */
export const shops = declareCollection({
  name: 'shops',
  kept: 'forever',
  fields: {
    _id: text,
    businessId: text,
    sandbox: flag,
    name: text,
    createdAt: date,
    /** Each import increments this to lock the shop. */
    imports: optional(whole),
  },
  indexes: [{ name: 'shopOf', key: { businessId: 1, sandbox: 1 }, unique: true }],
})
export type Shop = Stored<typeof shops>
