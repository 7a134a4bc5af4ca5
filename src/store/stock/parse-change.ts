import { type ChangeStockBody, changeStockBody } from '../../../schemas/change-stock.ts'
import type { Deps } from '../../deps.ts'

/** What the stock of a variant shall be, or by how much it shall move; in units. */
export type StockChange = { stock: number } | { delta: number }

/** VALIDATION_ERROR, naming the field; also for both and for neither. */
export function parseStockChange(deps: Pick<Deps, 'validate'>, body: unknown): StockChange {
  const change = deps.validate<ChangeStockBody>(changeStockBody, body)
  return 'stock' in change ? { stock: change.stock } : { delta: change.delta }
}
