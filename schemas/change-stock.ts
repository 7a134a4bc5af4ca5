/** The most units of a variant: beyond what anybody counts, and far from where numbers lose their last digit. */
export const highestStock = 1_000_000_000

/** Body of PATCH /dev/store/products/{id}/variants/{vid}/stock (SPEC 4.9): exactly one of the two. */
export const changeStockBody = {
  type: 'object',
  properties: {
    stock: { type: 'integer', minimum: 0, maximum: highestStock },
    delta: { type: 'integer', minimum: -highestStock, maximum: highestStock },
  },
} as const

export interface ChangeStockBody {
  stock?: number
  delta?: number
}
