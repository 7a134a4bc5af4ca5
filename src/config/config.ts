import { Ajv, type ErrorObject } from 'ajv'
import { type Environment, environment } from '../../schemas/environment.ts'
import { type QueueName, queueNames } from '../../schemas/jobs.ts'
import { parseRange } from '../platform/network.ts'
import { combinedFaults } from './faults.ts'
import { formats, list, parseTrust, readCertificates } from './formats.ts'
import { parseRedisUrl } from './redis-url.ts'

declare module '../platform/deps.ts' {
  interface Deps {
    config: Config
  }
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export type Config = ReturnType<typeof fromEnvironment>

const validate = new Ajv({
  // A test does that (input/validate.ts).
  validateSchema: false,
  allErrors: true,
  coerceTypes: true,
  useDefaults: true,
  verbose: true,
  formats,
}).compile<Environment>(environment)

/** Prints every fault with its variable and exits if the environment is invalid. */
export function loadConfig(): Config {
  const { config, faults } = checkEnvironment(process.env)
  if (config !== null) return config
  process.stderr.write(`${faults}\n`)
  process.exit(1)
}

/** Throws an Error that lists every fault. */
export function readConfig(source: Record<string, string | undefined>): Config {
  const { config, faults } = checkEnvironment(source)
  if (config === null) throw new Error(faults)
  return config
}

function checkEnvironment(source: Record<string, string | undefined>) {
  const given: Record<string, unknown> = {}
  for (const name of Object.keys(environment.properties)) if (source[name]) given[name] = source[name]
  validate(given)
  const faults = [...(validate.errors ?? []).map(describe), ...combinedFaults(given)]
  return faults.length > 0
    ? { config: null, faults: `The environment is not valid:\n  ${faults.join('\n  ')}` }
    : { config: fromEnvironment(given as Environment), faults: '' }
}

function describe(error: ErrorObject): string {
  if (error.keyword === 'required') return `${String(error.params.missingProperty)} is missing`
  const name = error.instancePath.slice(1)
  const hint =
    error.keyword === 'format' ? formats[String(error.params.format)]?.hint(String(error.data)) : error.message
  const allowed = error.keyword === 'enum' ? `: ${(error.params.allowedValues as string[]).join(', ')}` : ''
  return `${name} ${hint}${allowed}`
}

function fromEnvironment(env: Environment) {
  const publicUrl = env.PUBLIC_URL ?? `http://localhost:${env.PORT}`
  const lifetimeSeconds = env.INTENT_LIFETIME_SECONDS
  const previous = env.SECRET_KEY_PREVIOUS
  const chosen = list(env.WORKER_QUEUES) as QueueName[]
  return {
    production: env.NODE_ENV === 'production',
    port: env.PORT,
    /** For merchants; the API is at `${publicUrl}/api/v1`. */
    publicUrl,
    /** For customers; a pay URL is `${payUrl}/p/{shortCode}`. */
    payUrl: env.PAY_URL ?? publicUrl,
    mongodbUrl: env.MONGODB_URL,
    /** Authorities for MongoDB's certificate. Null: the public ones. */
    mongodbCa: readCertificates(env.MONGODB_TLS_CA ?? ''),
    redisUrl: env.REDIS_URL,
    /** How Redis's certificate is checked. Without `ca`, the public authorities apply. */
    redisTrust: { ca: readCertificates(env.REDIS_TLS_CA ?? ''), verify: env.REDIS_TLS_VERIFY },
    /** Encrypt sensitive values and pepper hashes. Current first, then the previous one while it's still accepted. */
    secretKeys: [
      Buffer.from(env.SECRET_KEY, 'base64'),
      ...(previous === undefined ? [] : [Buffer.from(previous, 'base64')]),
    ] as const,
    /** Per hash of a password or PIN. Only tests may lower it. */
    hashMemoryKib: env.HASH_MEMORY_KIB,
    /** Proxies whose X-Forwarded-For is trusted: a number of hops, or addresses and CIDR blocks. */
    trustProxy: parseTrust(env.TRUST_PROXY ?? '') ?? [],
    workerQueues: chosen.length > 0 ? chosen : queueNames,
    queuePrefix: queuePrefix(env),
    logLevel: env.LOG_LEVEL,
    maxAmount: env.MAX_AMOUNT,
    intentLifetimeMs: lifetimeSeconds * 1000,
    codeLifetimeMs: (env.CODE_LIFETIME_SECONDS ?? lifetimeSeconds) * 1000,
    /** Before attempts 2 to 8 (SPEC 6.4). */
    webhookRetryMs: list(env.WEBHOOK_RETRY_SECONDS).map((seconds) => Math.round(Number(seconds) * 1000)),
    webhookTimeoutMs: env.WEBHOOK_TIMEOUT_SECONDS * 1000,
    /** How long an endpoint fails before the business's other endpoints get to know. */
    endpointWarningMs: env.ENDPOINT_WARNING_HOURS * hourMs,
    /** `host:port` pairs that may be private or use plain HTTP. Must be empty in production. */
    webhookAllowedHosts: new Set(list(env.WEBHOOK_ALLOWED_HOSTS)),
    /** Never connected to, on top of all private networks. */
    webhookBlockedRanges: list(env.WEBHOOK_BLOCKED_RANGES).map(parseRange),
    webhookHeaderBrand: env.WEBHOOK_HEADER_BRAND,
    /**
     * Moves the money of live payments; without it no live intent can be paid. `name` is stored with each payment,
     * `key` signs requests to `url`.
     */
    walletProvider: walletProvider(env),
    /** For a single call. */
    walletTimeoutMs: env.WALLET_PROVIDER_TIMEOUT_SECONDS * 1000,
    /** Age at which test data is deleted. */
    sandboxRetentionMs: env.SANDBOX_RETENTION_DAYS * dayMs,
    /** Age at which the attempts of finished live deliveries are deleted. Null: never. */
    liveDeliveryRetentionMs: env.LIVE_DELIVERY_RETENTION_DAYS * dayMs || null,
    /** How long `web` goes on accepting connections after SIGTERM. */
    shutdownDrainMs: env.SHUTDOWN_DRAIN_SECONDS * 1000,
    /** From SIGTERM to the end of the process. */
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_SECONDS * 1000,
    /** Per API key, and per address that sends rejected credentials. Null: no limit. */
    rateLimitPerSecond: env.RATE_LIMIT_PER_SECOND || null,
    /** In use at a time. */
    liveCodesPerBusiness: env.LIVE_CODES_PER_BUSINESS,
    /** Intents, orders and products created with test keys, per business and UTC day. Null: no limit. */
    sandboxIntentsPerDay: env.SANDBOX_INTENTS_PER_DAY || null,
    /** What a business may store per UTC day. Null: no limit. */
    liveDocumentsPerDay: env.LIVE_DOCUMENTS_PER_DAY || null,
    liveBytesPerDay: env.LIVE_BYTES_PER_DAY || null,
    sandboxBytesPerDay: env.SANDBOX_BYTES_PER_DAY || null,
    /** Per business and UTC day, counted separately for live and test keys. Null: no limit. */
    auditLinesPerDay: env.AUDIT_LINES_PER_DAY || null,
    /** For /healthz and /readyz of a `worker`. Null: not served. */
    workerPort: env.WORKER_PORT ?? null,
    /** For /metrics alone. Null: it's served beside /healthz. */
    metricsPort: env.METRICS_PORT ?? null,
    /** Required for /metrics on every port. Null: not required. */
    metricsToken: env.METRICS_TOKEN ?? null,
    /** OTLP over HTTP, without `/v1/traces`. Null: tracing is off. */
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, '') ?? null,
    /** `ratio` applies to the ratio samplers. */
    traceSampler: { name: env.OTEL_TRACES_SAMPLER, ratio: env.OTEL_TRACES_SAMPLER_ARG },
    /** In basis points (src/wallets/commission.ts). */
    commissionRates: {
      provider: env.COMMISSION_PROVIDER_BPS,
      payer: env.COMMISSION_PAYER_BPS,
      tof: env.COMMISSION_TOF_BPS,
      tte: env.COMMISSION_TTE_BPS,
    },
  }
}

/**
 * In a cluster all keys of a queue must be on one node, so their prefix needs a hash tag in braces. Queues and rate
 * limits share it, and so the node and a connection, of which they need little.
 */
function queuePrefix({ REDIS_URL: url, QUEUE_PREFIX: prefix }: Environment): string {
  const isTagged = /\{[^}]+\}/.test(prefix)
  return parseRedisUrl(url)?.kind === 'cluster' && !isTagged ? `{${prefix}}` : prefix
}

function walletProvider(env: Environment): { name: string; url: string; key: string } | null {
  const { WALLET_PROVIDER_URL: url, WALLET_PROVIDER_KEY: key = '', WALLET_PROVIDER_NAME: name } = env
  if (url === undefined) return null
  return { name: name ?? new URL(url).host, url: url.replace(/\/$/, ''), key }
}
