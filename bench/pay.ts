import { randomBytes, randomUUID } from 'node:crypto'
import { mongo } from 'mongoose'
import { freePort } from '../dev/servers/free-port.ts'
import { customersOf } from './customers.ts'
import type { Form, Posted } from './forms.ts'
import { fillForms, type Weight, weighPage } from './hosted-pages.ts'
import { makeMerchants } from './merchants.ts'
import { timePinChecks } from './pin-hash.ts'
import { listening, type Running, startProcess } from './processes.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'

const CONNECTIONS = 64
/** Two PINs are checked at a time. A few more wait, and none is refused. */
const SANDBOX_CONNECTIONS = 4
const MERCHANTS = 20
const WARM_UP_SECONDS = 3
/** More than two cores can handle. */
const MAX_PER_SECOND = { live: 2500, bare: 6000, sandbox: 200 }

export interface Paying {
  /** Payments through a provider that responds at once, and through the bare form. */
  live: Pair<Posted>[]
  /** Payments through the wallets of the sandbox, which check the PIN. */
  sandbox: Posted[]
  /** The milliseconds of single PIN checks. */
  pinHashMs: number[]
  weight: Weight
}

/** Measures payments per second by the form of the hosted page and by a bare form, alternately on the same MongoDB. */
export async function measurePay(bench: Bench): Promise<Paying> {
  const { runtime, seconds } = bench
  const mongodbUrl = bench.mongodbUrl('pay')
  const secretKey = randomBytes(32)
  const { web, bare, end } = await startSides(bench, mongodbUrl, secretKey)
  const merchants = {
    live: await makeMerchants(mongodbUrl, secretKey, MERCHANTS, 'live'),
    test: await makeMerchants(mongodbUrl, secretKey, MERCHANTS, 'test'),
  }
  const client = await mongo.MongoClient.connect(mongodbUrl)
  const crowd = (mode: 'live' | 'test', connections: number, maxPerSecond: number) =>
    customersOf(runtime, {
      origin: web,
      connections,
      maxPerSecond,
      fill: (count) => fillForms(web, merchants[mode], count),
    })
  const live = crowd('live', CONNECTIONS, MAX_PER_SECOND.live)
  const sandbox = crowd('test', SANDBOX_CONNECTIONS, MAX_PER_SECOND.sandbox)
  const simple = customersOf(runtime, {
    origin: bare,
    connections: CONNECTIONS,
    maxPerSecond: MAX_PER_SECOND.bare,
    fill: (count) => addBills(client, count),
  })

  const before = await live(WARM_UP_SECONDS)
  await simple(WARM_UP_SECONDS)
  const pairs = await alternate(
    bench.rounds,
    () => live(seconds),
    () => simple(seconds),
  )
  const slow: Posted[] = []
  while (slow.length < bench.rounds) slow.push(await sandbox(seconds))
  await assertPaid(client, [before, ...pairs.map(({ service }) => service), ...slow])
  const weight = await weighPage(web, merchants.live)
  await client.close()
  await end()
  return { live: pairs, sandbox: slow, pinHashMs: await timePinChecks(), weight }
}

/** Starts `web`, its wallet provider, and the bare route. */
async function startSides(bench: Bench, mongodbUrl: string, secretKey: Buffer) {
  const [webPort, barePort, providerPort] = [await freePort(), await freePort(), await freePort()]
  const [web, bare] = [at(webPort), at(barePort)]
  const start = (name: string, script: string, environment: Record<string, string>): Running =>
    // Production refuses a provider without https.
    startProcess(bench.runtime, name, script, { NODE_ENV: 'test', MONGODB_URL: mongodbUrl, ...environment })
  const started = [
    start('provider', 'bench/provider.ts', { PORT: String(providerPort) }),
    start('bare-pay-route', 'bench/bare/pay-route.ts', { PORT: String(barePort) }),
    start('pay-web', bench.runtime.programs.web, {
      PORT: String(webPort),
      PUBLIC_URL: web,
      REDIS_URL: bench.redisUrl,
      QUEUE_PREFIX: 'pay',
      SECRET_KEY: secretKey.toString('base64'),
      WALLET_PROVIDER_URL: at(providerPort),
      WALLET_PROVIDER_KEY: randomBytes(32).toString('hex'),
    }),
  ]
  await Promise.all([webPort, barePort, providerPort].map(listening))
  return {
    web,
    bare,
    end: async () => void (await Promise.all(started.map((process) => process.end()))),
  }
}

const at = (port: number): string => `http://127.0.0.1:${port}`

/** Adds bills of the bare route. Returns the forms that pay them. */
async function addBills(client: mongo.MongoClient, count: number): Promise<Form[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  const bills = client.db().collection<{ _id: string }>('bare')
  if (count > 0) await bills.insertMany(ids.map((_id) => ({ _id, status: 'PENDING', amount: 150_000 })))
  return ids.map((id) => ({ path: `/p/${id}`, body: 'phone=22000001&pin=1234' }))
}

/** A 303 can lead to a page with an error. @throws {Error} if a form did not pay its intent */
async function assertPaid(client: mongo.MongoClient, posted: Posted[]): Promise<void> {
  const sent = posted.reduce((sum, each) => sum + each.sent, 0)
  const paid = await client.db().collection('intents').countDocuments({ status: 'PAID' })
  if (paid !== sent) throw new Error(`${sent} forms were sent, and ${paid} intents are PAID`)
}
