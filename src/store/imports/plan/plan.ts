import type { Collection } from '../../../mongo/collection.ts'
import type { Variant } from '../../products/product.ts'

/** The number of products for each outcome, of variants created or changed, and of rows read. */
export interface ImportCounts {
  created: number
  updated: number
  unchanged: number
  variants: number
  rows: number
}

/** The changes to one existing product. Contains only the fields that differ. */
export interface ProductPatch {
  productId: string
  set: { name?: string; description?: string; active?: boolean }
  variants: ({ _id: string } & Partial<Pick<Variant, 'sku' | 'price' | 'stock'>>)[]
  added: Variant[]
}

/** Returns the number of variants that a patch changes or adds. */
export const countVariants = ({ variants, added }: ProductPatch): number => variants.length + added.length

/**
 * One import into a shop. `_id` is the effect id of its claim. A shop has at most one open plan.
 *
 * - `preparing`: the new products are being stored, but not listed. The products to change are being given the plan's
 *   token. Readers see no change.
 * - `committed`: the import will happen, and any process may finish it.
 * - `aborting`: the import will never happen, and any process may undo its preparations.
 * - `done`: the import has happened, and the shop is free for the next import.
 */
export interface ImportPlan {
  _id: string
  businessId: string
  sandbox: boolean
  open?: true
  state: 'preparing' | 'committed' | 'aborting' | 'done'
  /**
   * Identifies one attempt. Prepared products contain this token, so that an attempt never uses a late write of an
   * earlier attempt.
   */
  token: string
  /** Until this time, only the plan's own request may end it. */
  leaseEndsAt: Date
  patches: ProductPatch[]
  counts: ImportCounts
  createdAt: Date
  /** When MongoDB removes the finished plan. The claim has ended by then, so no retry needs the plan. */
  expiresAt?: Date
}

/** A plan without its patches, which may take up megabytes. */
export type FoundPlan = Omit<ImportPlan, 'patches'>

export const withoutPatches = { patches: 0 } as const

export const importPlans: Collection = {
  name: 'importplans',
  fields: {
    _id: String,
    businessId: String,
    sandbox: Boolean,
    open: Boolean,
    state: String,
    token: String,
    leaseEndsAt: Date,
    patches: [
      {
        _id: false,
        productId: String,
        set: { type: { name: String, description: String, active: Boolean }, _id: false },
        variants: [{ _id: String, sku: String, price: Number, stock: Number }],
        added: [{ _id: String, label: String, sku: String, price: Number, stock: Number }],
      },
    ],
    counts: {
      created: Number,
      updated: Number,
      unchanged: Number,
      variants: Number,
      rows: Number,
    },
    createdAt: Date,
    expiresAt: Date,
  },
  indexes: [
    {
      name: 'openImport',
      key: { businessId: 1, sandbox: 1 },
      unique: true,
      partialFilterExpression: { open: true },
    },
    { name: 'unfinished', key: { leaseEndsAt: 1 }, partialFilterExpression: { open: true } },
    { name: 'expired', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
}
