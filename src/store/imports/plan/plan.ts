import type { Collection } from '../../../mongo/collection.ts'
import type { Variant } from '../../products/product.ts'

/** How many products an import made, changed and left alone, how many variants it made or changed, and how many rows it read. */
export interface ImportCounts {
  created: number
  updated: number
  unchanged: number
  variants: number
  rows: number
}

/** What an import changes of one product that was there: only what its rows say and what differs. */
export interface ProductPatch {
  productId: string
  set: { name?: string; description?: string; active?: boolean }
  variants: ({ _id: string } & Partial<Pick<Variant, 'sku' | 'price' | 'stock'>>)[]
  added: Variant[]
}

/** How many variants a patch changes or adds. */
export const variantsOf = ({ variants, added }: ProductPatch): number => variants.length + added.length

/**
 * One import of a shop. `_id` is the effect id of its claim. While it is open no other of the shop can be.
 *
 * `preparing`: its new products are being stored, unlisted, and those it changes are being marked as its own; nobody sees anything of it.
 * `committed`: it happens, whoever finishes it. `aborting`: it never happens, whoever takes back what was prepared. `done`: it is over.
 */
export interface ImportPlan {
  _id: string
  businessId: string
  sandbox: boolean
  open?: true
  state: 'preparing' | 'committed' | 'aborting' | 'done'
  /** Of one try: what was prepared bears it, so that what lands late of an earlier try is never taken for this one's. */
  token: string
  /** Until then nobody but its request ends it. */
  leaseEndsAt: Date
  patches: ProductPatch[]
  counts: ImportCounts
  createdAt: Date
  /** When one that is over is forgotten: after the claim that may ask for it. */
  expiresAt?: Date
}

/** A plan as one looks at it: what it changes may be megabytes. */
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
