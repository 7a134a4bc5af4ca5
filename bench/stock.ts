import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mongo } from 'mongoose'
import { freePort } from '../dev/servers/free-port.ts'
import type { Product } from '../src/store/products/product.ts'
import { type Merchant, makeMerchants } from './merchants.ts'
import { listening, runProcess, startProcess } from './processes.ts'
import { makeProduct, startStock } from './products.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import type { Changed, Shelf, StockLoad } from './stock-changes.ts'

const CONNECTIONS = 64
const MERCHANTS = 20
const PRODUCTS_OF_EACH = 25
const WARM_UP_SECONDS = 2

/** Measures stock changes per second of the API and of the bare route, alternately on the same MongoDB. */
export async function measureStock(bench: Bench): Promise<Pair<Changed>[]> {
  const mongodbUrl = bench.mongodbUrl('stock')
  const secretKey = randomBytes(32)
  const merchants = await makeMerchants(mongodbUrl, secretKey, MERCHANTS, 'live')
  const client = await mongo.MongoClient.connect(mongodbUrl)
  const database = client.db()
  const [webPort, barePort] = [await freePort(), await freePort()]
  const shared = { NODE_ENV: 'production', METRICS_PORT: '0', MONGODB_URL: mongodbUrl }
  const web = startProcess(bench.runtime, 'stock-web', bench.runtime.programs.web, {
    ...shared,
    PORT: String(webPort),
    REDIS_URL: bench.redisUrl,
    QUEUE_PREFIX: 'stock',
    PUBLIC_URL: 'https://api.example',
    SECRET_KEY: secretKey.toString('base64'),
  })
  const bare = startProcess(bench.runtime, 'bare-stock-route', 'bench/bare/stock-route.ts', {
    ...shared,
    PORT: String(barePort),
  })
  await Promise.all([listening(webPort), listening(barePort)])

  const service = await openSide(bench, database, {
    collection: 'products',
    origin: `http://127.0.0.1:${webPort}`,
    base: '/api/v1/dev/store',
    merchants,
  })
  const route = await openSide(bench, database, {
    collection: 'bare',
    origin: `http://127.0.0.1:${barePort}`,
    base: '',
    merchants,
  })
  await service.change(WARM_UP_SECONDS)
  await route.change(WARM_UP_SECONDS)
  const pairs = await alternate(
    bench.rounds,
    () => service.change(bench.seconds),
    () => route.change(bench.seconds),
  )
  await service.assertStocks()
  await route.assertStocks()
  await client.close()
  await Promise.all([web.end(), bare.end()])
  return pairs
}

interface Side {
  /** The collection of the products. */
  collection: string
  /** Scheme, host and port. */
  origin: string
  /** The path before `/products`. */
  base: string
  merchants: Merchant[]
}

/** Opens one side with its own products. `change` changes their stocks. */
async function openSide(bench: Bench, database: mongo.Db, { collection, origin, base, merchants }: Side) {
  const products = database.collection<Product>(collection)
  const sold = merchants.flatMap(({ businessId, apiKey }) =>
    Array.from({ length: PRODUCTS_OF_EACH }, (_, index) => ({
      apiKey,
      product: makeProduct(businessId, index),
    })),
  )
  await products.insertMany(sold.map(({ product }) => product))
  const shelves = sold.flatMap(({ apiKey, product }) =>
    product.variants.map(({ _id: variantId }): Shelf => {
      return { variantId, apiKey, path: `${base}/products/${product._id}/variants/${variantId}/stock` }
    }),
  )
  const file = join(bench.runtime.folder, `${collection}.json`)
  writeFileSync(file, JSON.stringify(shelves))
  const expected = new Map(shelves.map(({ variantId }) => [variantId, startStock]))

  return {
    /** @throws {Error} if a response is not 200 */
    async change(seconds: number): Promise<Changed> {
      const load: StockLoad = { origin, connections: CONNECTIONS, seconds, file }
      const args = [JSON.stringify(load)]
      const changed = await runProcess<Changed>(bench.runtime, 'stock-changes', 'bench/stock-changes.ts', args)
      if (changed.failed > 0) throw new Error(`${changed.failed} changes at ${origin} did not get 200`)
      for (const [variantId, moved] of Object.entries(changed.moved))
        expected.set(variantId, (expected.get(variantId) ?? 0) + moved)
      return changed
    },
    /** @throws {Error} if a stock is not the sum of the successful changes */
    async assertStocks(): Promise<void> {
      const found = await products.find({}, { projection: { variants: 1 } }).toArray()
      const wrong = found.flatMap(({ variants }) => variants).filter(({ _id, stock }) => stock !== expected.get(_id))
      if (found.length !== sold.length || wrong.length > 0)
        throw new Error(`${wrong.length} stocks in ${collection} are not the sums of the successful changes`)
    },
  }
}
