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
/** The imports on each side of a round, each into an empty shop. */
const IMPORTS = 3

interface Imported {
  perSecond: number
  /** The mean duration of an import. */
  ms: number
}

export interface Importing {
  pairs: Pair<Imported>[]
  /** Durations of imports that change nothing. */
  unchangedMs: number[]
  /** Durations of imports that change the price of every variant. */
  repricedMs: number[]
}

/** Measures imports of 5 000 rows by the API and by the bare route, alternately on the same MongoDB. */
export async function measureCsv(bench: Bench): Promise<Importing> {
  const mongodbUrl = bench.mongodbUrl('csv')
  const secretKey = randomBytes(32)
  const merchants = await makeMerchants(mongodbUrl, secretKey, (bench.rounds + 1) * IMPORTS, 'test')
  const client = await mongo.MongoClient.connect(mongodbUrl)
  const database = client.db()
  await database.collection('bare').createIndexes([...products.indexes])
  const [webPort, barePort] = [await freePort(), await freePort()]
  const shared = { NODE_ENV: 'production', METRICS_PORT: '0', MONGODB_URL: mongodbUrl }
  const web = startProcess(bench.runtime, 'csv-web', bench.runtime.programs.web, {
    ...shared,
    PORT: String(webPort),
    REDIS_URL: bench.redisUrl,
    QUEUE_PREFIX: 'csv',
    PUBLIC_URL: 'https://api.example',
    SECRET_KEY: secretKey.toString('base64'),
  })
  const bare = startProcess(bench.runtime, 'bare-csv-route', 'bench/bare/csv-route.ts', {
    ...shared,
    PORT: String(barePort),
  })
  await Promise.all([listening(webPort), listening(barePort)])

  const address = `http://127.0.0.1:${webPort}/api/v1/dev/store/products/import-csv`
  const made = { created: PRODUCTS, updated: 0, unchanged: 0, variants: ROWS, rows: ROWS }
  const shops = [...merchants]
  const service = () =>
    importAll(shops.splice(0, IMPORTS), ({ apiKey }) => importFile(address, apiKey, fileAt(0), made))
  const route = () =>
    importAll(Array.from({ length: IMPORTS }, randomUUID), (shop) =>
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
  await assertListed(database, merchants)
  await client.close()
  await Promise.all([web.end(), bare.end()])
  return { pairs, unchangedMs, repricedMs }
}

async function importAll<Shop>(shops: readonly Shop[], importInto: (shop: Shop) => Promise<number>): Promise<Imported> {
  let ms = 0
  for (const shop of shops) ms += await importInto(shop)
  return { perSecond: (ROWS * shops.length * 1000) / ms, ms: ms / shops.length }
}

/** Imports a file. Returns the duration in milliseconds. @throws {Error} if the response is not the expected one */
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
  const startedAt = performance.now()
  const response = await fetch(url, { method: 'POST', headers, body })
  const text = await response.text()
  const ms = performance.now() - startedAt
  if (text.includes(JSON.stringify(expected))) return ms
  throw new Error(`${url} got ${response.status}: ${text.slice(0, 500)}`)
}

/** The file, with every price raised by `increase` centimes. */
function fileAt(increase: number): string {
  const rows = Array.from({ length: PRODUCTS }, (_, index) =>
    SIZES.map((size) =>
      [
        `melhfa-${index}`,
        size === SIZES[0] ? `Melhfa brodée ${index}` : '',
        size === SIZES[0] ? 'Voile de coton teint à la main à Nouakchott, 4,5 m' : '',
        size,
        `MLF-${index}-${size}`,
        150_000 + increase,
        12,
        'true',
      ]
        .map((cell) => (String(cell).includes(',') ? `"${cell}"` : cell))
        .join(','),
    ),
  )
  return ['handle,name,description,variant_label,sku,price,stock,active', ...rows.flat(), ''].join('\n')
}

/** @throws {Error} if a shop lacks a listed product */
async function assertListed(database: mongo.Db, merchants: readonly Merchant[]): Promise<void> {
  const listed = await database.collection('products').countDocuments({ listed: true })
  const expected = merchants.length * PRODUCTS
  if (listed !== expected) throw new Error(`${listed} of ${expected} products are listed`)
}
