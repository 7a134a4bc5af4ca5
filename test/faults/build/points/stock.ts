import { before } from './point.ts'

const change = before('web', 'src/store/stock/change.ts')
const carryOut = before('web', 'src/store/imports/import-products.ts')

/** Of a stock change, and of an import of products. */
export const stockPoints = [
  change('stock.before-change', 'const isWritten = await deps.batchers.updateProduct('),
  change('stock.changed', 'if (!isWritten) return null'),
  carryOut('import.place-taken', 'const counts = await importInPlace('),
  carryOut('import.prepared', 'refuseLate(effect.until)'),
  carryOut('import.committed', 'await finish(deps, committed)'),
  carryOut('import.finished', 'return committed.counts'),
  before('web', 'src/store/imports/plan/finish.ts')(
    'import.applied',
    'await pastMongoose(deps.ImportPlan).updateOne(',
  ),
]
