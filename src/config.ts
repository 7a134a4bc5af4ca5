import { Ajv, type ErrorObject } from 'ajv'
import { type Environment, environment } from '../schemas/environment.ts'
import { faultsAcross } from './config/faults.ts'
import { formats } from './config/formats.ts'
import { list } from './config/list.ts'
import { parseTrust } from './config/trust-proxy.ts'
import { type QueueName, queueNames } from './queues/jobs.ts'
import { parseRange, type Range } from './security/network.ts'

const dayMs = 24 * 3_600_000

/** What the processes run by. Durations are in the unit their name says; lists are parsed. */
export interface Config {
  production: boolean
  port: number
  /** Where merchants reach this service; the API lives at `${publicUrl}/api/v1`. */
  publicUrl: string
  /** Where customers reach the hosted checkout; a pay URL is `${payUrl}/p/{shortCode}`. */
  payUrl: string
  mongodbUrl: string
  redisUrl: string
  /** The key that seals and peppers now, then the one before it, still accepted. */
  secretKeys: readonly [current: Buffer, ...previous: Buffer[]]
  /** Proxies whose X-Forwarded-For is believed: a number of hops, or addresses and CIDRs. */
  trustProxy: number | readonly string[]
  workerQueues: readonly QueueName[]
  queuePrefix: string
  logLevel: string
  maxAmount: number
  intentLifetimeMs: number
  codeLifetimeMs: number
  /** The waits before attempts 2 to 8 (SPEC 6.4). */
  webhookRetryMs: readonly number[]
  webhookTimeoutMs: number
  /** `host:port` of receivers that may be private or plain http; never in production. */
  webhookAllowedHosts: ReadonlySet<string>
  /** Networks that webhooks never connect to, in addition to those that are not public. */
  webhookBlockedRanges: readonly Range[]
  webhookHeaderBrand: string
  /**
   * Who moves the money of live payments; without one no live intent can be paid. `name` is kept with each payment, `key` signs what
   * is sent to `url`.
   */
  walletProvider: { name: string; url: string; key: string } | null
  /** How long one call to a wallet may take. */
  walletTimeoutMs: number
  /** Older than this, what test keys made goes. */
  sandboxRetentionMs: number
  /** Older than this, the attempts of live deliveries that have ended go; null: they stay. */
  liveDeliveryRetentionMs: number | null
  /** How long `web` keeps accepting connections after SIGTERM. */
  shutdownDrainMs: number
  /** Requests of one API key in a second, and refused credentials of one address; null: any number. */
  rateLimitPerSecond: number | null
  /** Live payment codes that one business may have in use. */
  liveCodesPerBusiness: number
  /** Intents, orders, products and endpoints that the test keys of one business may create in a UTC day; null: no limit. */
  sandboxIntentsPerDay: number | null
  /** Where a `worker` answers /healthz, /readyz and /metrics; null: nowhere. */
  workerPort: number | null
  /** Where traces go (OTLP over HTTP), without `/v1/traces`; null: nothing is traced. */
  otlpEndpoint: string | null
  /** Basis points (src/wallets/commission.ts). */
  commissionRates: { provider: number; payer: number; tof: number; tte: number }
}

const validate = new Ajv({
  allErrors: true,
  coerceTypes: true,
  useDefaults: true,
  verbose: true,
  formats,
}).compile<Environment>(environment)

/** The environment of a process that begins. Where it is wrong, all faults are said at once, by variable name, and the process ends. */
export function loadConfig(): Config {
  const { config, faults } = judge(process.env)
  if (config !== null) return config
  process.stderr.write(`${faults}\n`)
  process.exit(1)
}

/** As `loadConfig`, from any environment. Throws one Error whose message lists every fault. */
export function readConfig(source: Record<string, string | undefined>): Config {
  const { config, faults } = judge(source)
  if (config === null) throw new Error(faults)
  return config
}

function judge(source: Record<string, string | undefined>): { config: Config | null; faults: string } {
  const given: Record<string, unknown> = {}
  for (const name of Object.keys(environment.properties)) if (source[name]) given[name] = source[name]
  validate(given)
  const faults = [...(validate.errors ?? []).map(sentence), ...faultsAcross(given)]
  return faults.length > 0
    ? { config: null, faults: `The environment is not right:\n  ${faults.join('\n  ')}` }
    : { config: fromEnvironment(given as Environment), faults: '' }
}

function sentence(error: ErrorObject): string {
  if (error.keyword === 'required') return `${String(error.params.missingProperty)} is missing`
  const name = error.instancePath.slice(1)
  const hint =
    error.keyword === 'format'
      ? formats[String(error.params.format)]?.hint(String(error.data))
      : error.message
  const allowed = error.keyword === 'enum' ? `: ${(error.params.allowedValues as string[]).join(', ')}` : ''
  return `${name} ${hint}${allowed}`
}

function fromEnvironment(env: Environment): Config {
  const publicUrl = env.PUBLIC_URL ?? `http://localhost:${env.PORT}`
  const lifetimeSeconds = env.INTENT_LIFETIME_SECONDS
  const previous = env.SECRET_KEY_PREVIOUS
  const chosen = list(env.WORKER_QUEUES) as QueueName[]
  return {
    production: env.NODE_ENV === 'production',
    port: env.PORT,
    publicUrl,
    payUrl: env.PAY_URL ?? publicUrl,
    mongodbUrl: env.MONGODB_URL,
    redisUrl: env.REDIS_URL,
    secretKeys: [
      Buffer.from(env.SECRET_KEY, 'base64'),
      ...(previous === undefined ? [] : [Buffer.from(previous, 'base64')]),
    ],
    trustProxy: parseTrust(env.TRUST_PROXY ?? '') ?? [],
    workerQueues: chosen.length > 0 ? chosen : queueNames,
    queuePrefix: env.QUEUE_PREFIX,
    logLevel: env.LOG_LEVEL,
    maxAmount: env.MAX_AMOUNT,
    intentLifetimeMs: lifetimeSeconds * 1000,
    codeLifetimeMs: (env.CODE_LIFETIME_SECONDS ?? lifetimeSeconds) * 1000,
    webhookRetryMs: list(env.WEBHOOK_RETRY_SECONDS).map((seconds) => Math.round(Number(seconds) * 1000)),
    webhookTimeoutMs: env.WEBHOOK_TIMEOUT_SECONDS * 1000,
    webhookAllowedHosts: new Set(list(env.WEBHOOK_ALLOWED_HOSTS)),
    webhookBlockedRanges: list(env.WEBHOOK_BLOCKED_RANGES).map(parseRange),
    webhookHeaderBrand: env.WEBHOOK_HEADER_BRAND,
    walletProvider: walletProvider(env),
    walletTimeoutMs: env.WALLET_PROVIDER_TIMEOUT_SECONDS * 1000,
    sandboxRetentionMs: env.SANDBOX_RETENTION_DAYS * dayMs,
    liveDeliveryRetentionMs: env.LIVE_DELIVERY_RETENTION_DAYS * dayMs || null,
    shutdownDrainMs: env.SHUTDOWN_DRAIN_SECONDS * 1000,
    rateLimitPerSecond: env.RATE_LIMIT_PER_SECOND || null,
    liveCodesPerBusiness: env.LIVE_CODES_PER_BUSINESS,
    sandboxIntentsPerDay: env.SANDBOX_INTENTS_PER_DAY || null,
    workerPort: env.WORKER_PORT ?? null,
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, '') ?? null,
    commissionRates: {
      provider: env.COMMISSION_PROVIDER_BPS,
      payer: env.COMMISSION_PAYER_BPS,
      tof: env.COMMISSION_TOF_BPS,
      tte: env.COMMISSION_TTE_BPS,
    },
  }
}

function walletProvider(env: Environment): Config['walletProvider'] {
  const { WALLET_PROVIDER_URL: url, WALLET_PROVIDER_KEY: key = '', WALLET_PROVIDER_NAME: name } = env
  if (url === undefined) return null
  return { name: name ?? new URL(url).host, url: url.replace(/\/$/, ''), key }
}
