import type { AddressInfo } from 'node:net'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { startMongo, startRedis } from '../../dev/servers.ts'
import { queueNames } from '../../schemas/jobs.ts'
import { createApp } from '../../src/app.ts'
import { apiRoutes } from '../../src/http/routes/routes.ts'
import type { HttpServer } from '../../src/http/server/listen.ts'
import { serveMetrics } from '../../src/http/server/probes.ts'
import { httpTimeouts } from '../../src/http/server/timeouts.ts'
import type { Intent } from '../../src/intents/intent.ts'
import { alertedLogLines, createMetrics } from '../../src/metrics/metrics.ts'
import { errorCatalogue } from '../../src/platform/errors.ts'
import { createLog } from '../../src/platform/log.ts'
import { requestJobRestore } from '../../workers/maintenance.ts'
import { polledWorks } from '../../workers/run/start.ts'
import { paymentEvents, post, requestIntent, subscribe } from '../support/actions.ts'
import { copyIntents } from '../support/copy-intents.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { deadlineMs } from '../support/machine.ts'
import { pay } from '../support/pay.ts'
import { profiled } from '../support/profiled.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { waitFor, waitRarely } from '../support/wait-for.ts'
import { withServer } from '../support/with.ts'
import { crlf, sendRaw } from './raw-request.ts'
import { openProbes, openServer } from './short-timeouts.ts'

type Sample = { name: string; labels: Record<string, string>; value: number }

const samplesOf = (text: string): Sample[] =>
  [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, of = '']) => [label, of]),
    ),
    value: Number(value),
  }))

async function scrape(origin: string, token = ''): Promise<Sample[]> {
  const response = await fetch(`${origin}/metrics`, { headers: { Authorization: `bearer ${token}` } })
  expect(response.status).to.equal(200)
  expect(response.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8')
  return samplesOf(await response.text())
}

/** Sums all samples of `payment_intents_<name>` with these labels. Null if there are none. */
function valueOf(samples: Sample[], name: string, labels: Record<string, string> = {}): number | null {
  const isMeant = (sample: Sample) =>
    sample.name === `payment_intents_${name}` &&
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  const values = samples.filter(isMeant).map(({ value }) => value)
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}

type Value = number | null | [least: number, most: number]
type Expected = [name: string, value: Value, labels?: Sample['labels']]

function expectValues(samples: Sample[], ...all: Expected[]): void {
  for (const [name, value, labels] of all) {
    const found = valueOf(samples, name, labels)
    const about = `${name} ${JSON.stringify(labels)}`
    if (Array.isArray(value)) expect(found, about).to.be.within(...value)
    else expect(found, about).to.equal(value)
  }
}

const portOf = (http: HttpServer | null) => (http?.server.address() as AddressInfo | undefined)?.port

async function expectUnknown(url: string): Promise<void> {
  const response = await fetch(url)
  expect(response.status, url).to.equal(404)
  expect(await response.json()).to.have.nested.property('error.code', 'ENDPOINT_NOT_FOUND')
}

describe('The metrics endpoint', () => {
  const mongo = withServer(startMongo)
  const redis = withServer(startRedis)
  const { service, merchant } = withServiceAndMerchant(() => ({
    MONGODB_URL: mongo.url,
    REDIS_URL: redis.url,
  }))
  const endpointServer = withEndpointServer()
  before(async () => {
    await subscribe(service, merchant, endpointServer.url, [...paymentEvents, 'payment.confirmed'])
    await waitFor('Redis', () => service.deps.queues.ping().then(Boolean, () => false))
  })

  const now = () => scrape(service.origin)
  const later = () => {
    service.clock.advance(61_000)
    return now()
  }

  it('counts requests by route and code, repeated responses, wallet calls and transitions', async () => {
    const before = await now()
    const headers = merchant.write('one')
    for (const amount of [500, 500, 600])
      await service.http.post('/api/v1/dev/intents').set(headers).send({ amount }).expect(201)
    await service.http.post('/api/v1/dev/intents').set(merchant.write()).send({ amount: 0 }).expect(400)
    const { referenceNumber } = await requestIntent(service, merchant)
    await post(service, merchant, `/intents/${referenceNumber}/simulate-payment`, '{}')
    for (const amount of [100, 200])
      await post(service, merchant, `/intents/${referenceNumber}/refund`, JSON.stringify({ amount }))
    const failing = await requestIntent(service, merchant, { amount: 99_901 })
    const byWallet = await requestIntent(service, merchant)
    await pay(service, byWallet.referenceNumber, { pin: '9999' })
    await pay(service, byWallet.referenceNumber)
    await post(service, merchant, `/intents/${failing.referenceNumber}/simulate-payment`, '{}')
    const cancelled = await requestIntent(service, merchant)
    for (let twice = 0; twice < 2; twice += 1)
      await post(service, merchant, `/intents/${cancelled.referenceNumber}/cancel`, '')
    const route = 'POST /dev/intents'
    const increases: [name: string, increase: number, labels: Sample['labels']][] = [
      ['http_requests_total', 7, { route, code: '201' }],
      ['http_requests_total', 1, { route, code: 'AMOUNT_OUT_OF_RANGE' }],
      ['http_request_duration_seconds_count', 7, { route, result: 'ok' }],
      ['idempotent_replays_total', 1, { params: 'same' }],
      ['idempotent_replays_total', 1, { params: 'other' }],
      ['transitions_total', 0, { environment: 'live' }],
      ['wallet_call_duration_seconds_count', 1, { wallet: 'sandbox', outcome: 'refused' }],
      ['wallet_call_duration_seconds_count', 1, { wallet: 'sandbox', outcome: 'done' }],
    ]
    const transitions = { create: 5, pay: 2, fail: 1, refund: 2, cancel: 1, expire: 0 }
    for (const [transition, count] of Object.entries(transitions))
      increases.push(['transitions_total', count, { transition, environment: 'test' }])
    const after = await now()
    for (const [name, increase, labels] of increases) {
      const difference = (valueOf(after, name, labels) ?? 0) - (valueOf(before, name, labels) ?? 0)
      expect(difference, `${name} ${JSON.stringify(labels)}`).to.equal(increase)
    }
  })

  it('reports overdue work while no worker runs, and finished work once one does', async () => {
    const waiting = await later()
    expectValues(waiting, ['outbox_lag_seconds', [60, 200]], ['queue_workers', 0])
    const ofWorkers = ['last_poll_timestamp_seconds', 'attempts_in_flight', 'endpoints_waiting']
    expectValues(waiting, ...ofWorkers.map((name): Expected => [name, null]))
    service.clock.advance(86_400_000)
    expectValues(await later(), ['expiry_lag_seconds', [60, 200]])
    endpointServer.respondWith((res, count) => {
      res.statusCode = count === 1 ? 500 : 200
      res.end()
    })
    const startedAt = service.clock.now().getTime() / 1000
    const workers = service.startWorkers()
    requestJobRestore(service.deps)
    const done = await waitRarely('nothing is late', async () => {
      const samples = await later()
      const polled = polledWorks.filter(({ isLong }) => !isLong).map(({ name }) => name)
      const isDone =
        valueOf(samples, 'outbox_lag_seconds') === 0 &&
        valueOf(samples, 'expiry_lag_seconds') === 0 &&
        valueOf(samples, 'endpoints_waiting') === 0 &&
        polled.every((work) => valueOf(samples, 'last_poll_timestamp_seconds', { work }) !== null) &&
        (valueOf(samples, 'webhook_attempts_total', { outcome: 'delivered' }) ?? 0) > 4
      return isDone && samples
    })
    const nowSeconds = service.clock.now().getTime() / 1000
    const environment = 'test'
    expectValues(
      done,
      ['webhook_attempts_total', 1, { outcome: 'retrying', stage: 'status', environment }],
      ['webhook_attempt_duration_seconds_count', 1, { outcome: 'retrying' }],
      ['transitions_total', 1, { transition: 'expire', environment }],
      ['last_poll_timestamp_seconds', [startedAt, nowSeconds], { work: 'requeue-plans' }],
      ['attempts_in_flight', [0, 5], { slots: 'fast' }],
      ['attempts_in_flight', [0, 5], { slots: 'slow' }],
    )
    for (const queue of ['outbox-relay', 'intent-expiry', 'maintenance'])
      expectValues(done, ['job_duration_seconds_count', [1, Infinity], { queue, outcome: 'complete' }])
    for (const queue of queueNames) expectValues(done, ['queue_workers', [1, Infinity], { queue }])
    await workers.close()
  })

  it('reports due work, unknown wallet outcomes and the portion of live payment codes in use', async () => {
    const at = (ago: number) => new Date(service.clock.now().getTime() - ago)
    const template = await service.deps.Intent.findOne({ 'payment.key': { $exists: true } })
      .orFail()
      .lean<Intent>()
    await copyIntents(service, template, 60, (index) => {
      const held = { startedAt: at(index * 100_000), queryAt: at(0) } as Intent['hold']
      const refund = { ...template.refunds[0], createdAt: at(90_000), queryAt: at(0) } as Intent['refunds'][0]
      return {
        sandbox: false,
        codeKey: `live:${String(index * 50).padStart(6, '0')}`,
        // A third of the codes are reusable, so they count as free.
        codeReusableAt: index % 3 === 0 ? at(1000) : at(-9_000_000),
        refunds: index < 2 ? [refund] : [],
        hold: index < 3 ? held : null,
      }
    })
    await service.deps.Delivery.updateMany({}, { $set: { nextAttemptAt: null } })
    const delivery = await service.deps.Delivery.findOne().lean()
    const due = { ...delivery, _id: 'due', status: 'PENDING', leaseToken: null }
    await service.deps.Delivery.collection.insertOne({ ...due, nextAttemptAt: at(400_000) } as never)
    const samples = await later()
    expectValues(
      samples,
      ['live_codes_used_ratio', 26 / 2000],
      ['short_codes_used_ratio', 256 / 32 ** 6],
      ['open_outcomes', 3, { kind: 'payment' }],
      ['oldest_open_outcome_seconds', [260, 400], { kind: 'payment' }],
      ['open_outcomes', 2, { kind: 'refund' }],
      ['oldest_open_outcome_seconds', [150, 165], { kind: 'refund' }],
      ['due_deliveries', 1],
      ['oldest_due_delivery_seconds', [460, 475]],
    )
  })

  it('runs only indexed queries, and only when its cache has expired', async () => {
    const ofDocuments = async (work: () => Promise<unknown>) =>
      (await profiled(service, work)).filter(({ ns }) => /\.(intents|orders|deliveries)$/.test(ns))
    const reads = await ofDocuments(() => later())
    expect(reads).to.not.have.lengthOf(0)
    for (const { planSummary, command } of reads)
      if (!JSON.stringify(command).includes('$bsonSize')) expect(planSummary).to.match(/^(IXSCAN|COUNT_SCAN)/)
    expect(await ofDocuments(() => Promise.all([now(), now(), now()]))).to.deep.equal([])
  })

  it('has a bounded number of label values, whatever strangers request', async () => {
    const targets = Array.from({ length: 40 }, (_, index) => `/api/v1/dev/intents/PI-${index}/x`)
    const others = ['/p/AAAAAA', '/p/%00', '/admin/queues/zzz', '/sandbox/zzz', '/nowhere?a=b']
    const headers = ['Host: h', 'Content-Length: 0', 'Connection: close', '', '']
    const wires = [...targets, ...others].flatMap((path) =>
      ['GET', 'PROPFIND', 'POST'].map((method) => crlf(`${method} ${path} HTTP/1.1`, ...headers)),
    )
    await Promise.all(wires.map((wire) => sendRaw(service.origin, wire)))
    await sendRaw(service.origin, 'noise\r\n\r\n')
    const samples = await now()
    const labels = (name: string) => new Set(samples.flatMap((sample) => sample.labels[name] ?? []))
    const operations = apiRoutes.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    const isPattern = (route: string) =>
      route === 'other' || operations.includes(route) || /^(GET|HEAD|POST) \/[\w./:*{}-]*$/.test(route)
    expect([...labels('route')].filter((route) => !isPattern(route))).to.deep.equal([])
    expect([...labels('route')].join()).to.not.match(/PI-\d|zzz|AAAAAA|nowhere/)
    expect(valueOf(samples, 'http_requests_total', { route: 'other' })).to.be.greaterThan(80)
    const isKnown = (code: string) => code in errorCatalogue || /^(\d{3}|gone)$/.test(code)
    expect([...labels('code')].filter((code) => !isKnown(code))).to.deep.equal([])
    const text = await (await fetch(`${service.origin}/metrics`)).text()
    for (const secret of [merchant.key, merchant.keyId, endpointServer.host])
      expect(text).to.not.include(secret)
  })

  it('responds only on METRICS_PORT if it is set', async () => {
    const metricsToken = 'a-token-of-this-test'
    const deps = { ...service.deps, config: { ...service.deps.config, metricsToken, metricsPort: 0 } }
    const web = await openServer(service, httpTimeouts, createApp(deps))
    const servers = await Promise.all([openProbes(deps), serveMetrics(deps)])
    const [ofWorker, apart] = servers.map((server) => `http://127.0.0.1:${portOf(server)}`)
    for (const origin of [web.origin, ofWorker]) {
      expect((await fetch(`${origin}/healthz`)).status).to.equal(200)
      await expectUnknown(`${origin}/metrics`)
    }
    for (const path of ['/healthz', '/api/v1/dev/intents']) await expectUnknown(`${apart}${path}`)
    expect((await fetch(`${apart}/metrics`)).status).to.equal(401)
    expect(valueOf(await scrape(`${apart}`, metricsToken), 'mongodb_up')).to.equal(1)
    await Promise.all([web.close(), ...servers.map((server) => server?.stop(0))])
  })

  it("requires METRICS_TOKEN if it is set, on the API port and on a worker's port", async () => {
    const metricsToken = 'a-token-of-this-test'
    const deps = { ...service.deps, config: { ...service.deps.config, metricsToken } }
    const web = await openServer(service, httpTimeouts, createApp(deps))
    const probes = await openProbes(deps)
    const ofWorker = `http://127.0.0.1:${portOf(probes)}`
    const refusals: [authorization: string | undefined, code: string][] = [
      [undefined, 'MISSING_CREDENTIALS'],
      [metricsToken, 'INVALID_AUTH_HEADER'],
      [`Bearer ${metricsToken}, Bearer ${metricsToken}`, 'INVALID_AUTH_HEADER'],
      [`Bearer ${metricsToken}x`, 'INVALID_API_KEY'],
      [merchant.read().Authorization, 'INVALID_API_KEY'],
    ]
    for (const origin of [web.origin, ofWorker]) {
      for (const [authorization, code] of refusals) {
        const headers = authorization === undefined ? {} : { authorization }
        const response = await fetch(`${origin}/metrics`, { headers })
        expect([response.status, response.headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer'])
        const body = await response.text()
        expect(JSON.parse(body)).to.have.nested.property('error.code', code)
        expect(body).to.not.include(metricsToken)
      }
      expect(valueOf(await scrape(origin, metricsToken), 'mongodb_up')).to.equal(1)
      expect((await fetch(`${origin}/healthz`)).status).to.equal(200)
    }
    await Promise.all([web.close(), probes.stop(0)])
  })

  it('counts the jobs that were dropped because too many waited', async () => {
    const job = () => ({ data: { intentIds: [], orderIds: [] } })
    service.deps.enqueue('outbox-relay', Array.from({ length: 20_001 }, job))
    expectValues(
      await now(),
      ['jobs_dropped_total', 20_001, { queue: 'outbox-relay' }],
      ['jobs_dropped_total', 0, { queue: 'retention' }],
    )
  })

  it('counts log lines that may require action', () => {
    const counted: string[] = []
    const log = createLog('info', 'test', (level, line) => void counted.push(`${level} ${line}`))
    const quiet = Object.assign(log, { [pino.symbols.streamSym]: { write: () => true } })
    quiet.info({}, 'payment.settled')
    quiet.warn({ err: new Error('away') }, 'redis.unavailable')
    quiet.warn('web.full')
    quiet.child({}).error({}, 'payment.astray')
    expect(counted).to.deep.equal(['warn redis.unavailable', 'warn web.full', 'error payment.astray'])
  })

  it('starts a counter at 0 if an alert watches its increase', async () => {
    const beginning = samplesOf(await createMetrics().registry.metrics())
    for (const [level, lines] of Object.entries(alertedLogLines))
      for (const line of lines) expectValues(beginning, ['log_lines_total', 0, { level, line }])
    const attemptsOf = (samples: Sample[]) => {
      const counters = samples.filter(({ name }) => name === 'payment_intents_webhook_attempts_total')
      return counters.map(({ labels }) => Object.values(labels).join())
    }
    expect(attemptsOf(await now())).to.have.members(attemptsOf(beginning))
    for (const environment of ['live', 'test'])
      for (const stage of ['status', 'dns', 'timeout'])
        expectValues(beginning, ['webhook_attempts_total', 0, { outcome: 'dead', stage, environment }])
  })

  it('reports the age of the oldest unknown wallet outcome, even if there are too many to count', async () => {
    const at = (ago: number) => new Date(service.clock.now().getTime() - ago)
    const template = await service.deps.Intent.findOne().orFail().lean<Intent>()
    const refunds: Intent['refunds'] = []
    const held = { startedAt: at(10_000), queryAt: at(-2_000) } as Intent['hold']
    const oldest = { startedAt: at(3_000_000), queryAt: at(-59_000) } as Intent['hold']
    const holdOf = (index: number) => (index === 1100 ? oldest : held)
    const fieldsOf = (index: number) => ({ codeKey: `live:m${index}`, refunds, hold: holdOf(index) })
    const copies = await copyIntents(service, template, 1101, fieldsOf)
    const kind = 'payment'
    const age: Expected = ['oldest_open_outcome_seconds', [3060, 3200], { kind }]
    expectValues(await later(), ['open_outcomes', 1000, { kind }], age)
    await service.deps.Intent.deleteMany({ _id: { $in: copies.map(({ _id }) => _id) } })
  })

  it("omits Redis's memory limit if Redis has none", async () => {
    const client = new Redis(redis.url)
    await client.config('SET', 'maxmemory', '1gb')
    expectValues(await later(), ['redis_memory_bytes', 2 ** 30, { kind: 'most' }])
    await client.config('SET', 'maxmemory', '0')
    const used: Expected = ['redis_memory_bytes', [1, Infinity], { kind: 'used' }]
    expectValues(await later(), ['redis_memory_bytes', null, { kind: 'most' }], used)
    client.disconnect()
  })

  it('responds within 2 s while MongoDB is frozen and Redis is down, but omits unavailable values', async () => {
    await mongo.kill('SIGSTOP')
    await redis.kill('SIGKILL')
    // Stored bytes are cached for ten minutes, everything else for less.
    service.clock.advance(600_000)
    const startedAt = performance.now()
    const samples = await later()
    expect(performance.now() - startedAt).to.be.lessThan(deadlineMs(2500))
    expectValues(samples, ['mongodb_up', 0], ['redis_up', 0])
    const ofProcess = ['mongodb_up', 'redis_up', 'process_clock_skew_seconds', 'capacity_used']
    // An earlier test ran workers in this process.
    const ofWorkers = ['last_poll_timestamp_seconds', 'attempts_in_flight', 'endpoints_waiting']
    const known = [...ofProcess, ...ofWorkers].map((name) => `payment_intents_${name}`)
    const gauges = Object.values(createMetrics().gauges).map((gauge) =>
      String((gauge as { name?: string }).name),
    )
    const valued = new Set(samples.map(({ name }) => name))
    expect(gauges.filter((name) => valued.has(name))).to.have.members(known)
    expect(valueOf(samples, 'http_requests_total')).to.be.greaterThan(0)
    await mongo.kill('SIGCONT')
    await redis.restart()
    await waitRarely('both again', async () => {
      const again = await later()
      return valueOf(again, 'mongodb_up') === 1 && valueOf(again, 'redis_up') === 1
    })
  })
})
