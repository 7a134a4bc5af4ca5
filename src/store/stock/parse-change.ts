import { type ChangeStockBody, changeStockBody } from '../../../schemas/change-stock.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'

/** What the stock of a variant shall be, or by how much it shall move; in units. */
export type StockChange = { stock: number } | { delta: number }

/** VALIDATION_ERROR, naming the field; also for both and for neither. */
export function parseStockChange(deps: Pick<Deps, 'validate'>, body: unknown): StockChange {
  const { stock, delta } = deps.validate<ChangeStockBody>(changeStockBody, body)
  if (stock !== undefined && delta === undefined) return { stock }
  if (delta !== undefined && stock === undefined) return { delta }
  throw refuse('VALIDATION_ERROR', {
    param: delta === undefined ? 'stock' : 'delta',
    message: 'Send exactly one of stock and delta.',
  })
}
