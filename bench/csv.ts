import { randomBytes, randomUUID } from 'node:crypto'
import { mongo } from 'mongoose'
import { freePort } from '../dev/servers/free-port.ts'
import { products } from '../src/store/products/product.ts'
import { type Merchant, makeMerchants } from './merchants.ts'
import { listening, startProcess } from './processes.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'

const PRODUCTS = 2_500
const SIZES = ['S', 'L']
const ROWS = PRODUCTS * SIZES.length
/** Imports of one side of a round, each into an empty shop. */
const IMPORTS = 3

interface Imported {
  perSecond: number
  /** Of one import, the mean. */
  ms: number
}

export interface Importing {
  pairs: Pair<Imported>[]
  /** Of an import that changes nothing, in milliseconds. */
  unchangedMs: number[]
  /** Of an import that changes the price of every variant. */
  repricedMs: number[]
}

/** Imports of 5 000 rows by the API, and by the bare route, in turns on the same MongoDB. */
export async function measureCsv(bench: Bench): Promise<Importing> {
  const mongodbUrl = bench.mongodbUrl('csv')
  const secretKey = randomBytes(32)
  const merchants = await makeMerchants(mongodbUrl, secretKey, (bench.rounds + 1) * IMPORTS, 'test')
  const database = await mongo.MongoClient.connect(mongodbUrl)
  const books = database.db()
  await books.collection('bare').createIndexes([...products.indexes])
  const [webPort, barePort] = [await freePort(), await freePort()]
  const shared = { NODE_ENV: 'production', MONGODB_URL: mongodbUrl }
  const web = startProcess(bench.where, 'csv-web', bench.where.programs.web, {
    ...shared,
    PORT: String(webPort),
    REDIS_URL: bench.redisUrl,
    QUEUE_PREFIX: 'csv',
    PUBLIC_URL: 'https://api.example',
    SECRET_KEY: secretKey.toString('base64'),
  })
  const bare = startProcess(bench.where, 'bare-csv-route', 'bench/bare/csv-route.ts', {
    ...shared,
    PORT: String(barePort),
  })
  await Promise.all([listening(webPort), listening(barePort)])

  const address = `http://127.0.0.1:${webPort}/api/v1/dev/store/products/import-csv`
  const made = { created: PRODUCTS, updated: 0, unchanged: 0, variants: ROWS, rows: ROWS }
  const shops = [...merchants]
  const service = () =>
    several(shops.splice(0, IMPORTS), ({ apiKey }) => importFile(address, apiKey, fileAt(0), made))
  const route = () =>
    several(Array.from({ length: IMPORTS }, randomUUID), (shop) =>
      importFile(`http://127.0.0.1:${barePort}/shops/${shop}/import-csv`, '', fileAt(0), made),
    )
  await service()
  await route()
  const pairs = await alternate(bench.rounds, service, route)
  const unchanged = { ...made, created: 0, unchanged: PRODUCTS, variants: 0 }
  const repriced = { ...made, created: 0, updated: PRODUCTS }
  const unchangedMs: number[] = []
  const repricedMs: number[] = []
  for (const { apiKey } of merchants.slice(0, bench.rounds)) {
    unchangedMs.push(await importFile(address, apiKey, fileAt(0), unchanged))
    repricedMs.push(await importFile(address, apiKey, fileAt(1), repriced))
  }
  await mustBeThere(books, merchants)
  await database.close()
  await Promise.all([web.end(), bare.end()])
  return { pairs, unchangedMs, repricedMs }
}

async function several<Shop>(
  shops: readonly Shop[],
  importInto: (shop: Shop) => Promise<number>,
): Promise<Imported> {
  let ms = 0
  for (const shop of shops) ms += await importInto(shop)
  return { perSecond: (ROWS * shops.length * 1000) / ms, ms: ms / shops.length }
}

/** How long one import took, in milliseconds. @throws {Error} unless it answers what is expected */
async function importFile(
  url: string,
  apiKey: string,
  body: string,
  expected: Record<string, number>,
): Promise<number> {
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    'Content-Type': 'text/csv',
    'X-Idempotency-Key': randomUUID(),
  }
  const beganAt = performance.now()
  const answer = await fetch(url, { method: 'POST', headers, body })
  const text = await answer.text()
  const ms = performance.now() - beganAt
  if (text.includes(JSON.stringify(expected))) return ms
  throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 500)}`)
}

/** The file; every price higher by `dearer` centimes. */
function fileAt(dearer: number): string {
  const rows = Array.from({ length: PRODUCTS }, (_, place) =>
    SIZES.map((size) =>
      [
        `melhfa-${place}`,
        size === SIZES[0] ? `Melhfa brodée ${place}` : '',
        size === SIZES[0] ? 'Voile de coton teint à la main à Nouakchott, 4,5 m' : '',
        size,
        `MLF-${place}-${size}`,
        150_000 + dearer,
        12,
        'true',
      ]
        .map((cell) => (String(cell).includes(',') ? `"${cell}"` : cell))
        .join(','),
    ),
  )
  return ['handle,name,description,variant_label,sku,price,stock,active', ...rows.flat(), ''].join('\n')
}

/** @throws {Error} unless every shop has all of its products, listed */
async function mustBeThere(books: mongo.Db, merchants: readonly Merchant[]): Promise<void> {
  const listed = await books.collection('products').countDocuments({ listed: true, prepared: null })
  const expected = merchants.length * PRODUCTS
  if (listed !== expected) throw new Error(`${listed} products are listed of ${expected}`)
}
