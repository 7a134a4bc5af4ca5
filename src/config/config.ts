import { Ajv, type ErrorObject } from 'ajv'
import { type Environment, environment } from '../../schemas/environment.ts'
import { type QueueName, queueNames } from '../../schemas/jobs.ts'
import { parseRange } from '../platform/network.ts'
import { combinedFaults } from './faults.ts'
import { formats, parseTrust, readCertificates, splitList } from './formats.ts'
import { parseRedisUrl } from './redis-url.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export type Config = ReturnType<typeof fromEnvironment>

const validate = new Ajv({
  // A test validates the schema (input/validate.ts).
  validateSchema: false,
  allErrors: true,
  coerceTypes: true,
  useDefaults: true,
  verbose: true,
  formats,
}).compile<Environment>(environment)

/** If the environment is invalid, prints every fault with its variable, and exits. */
export function loadConfig(): Config {
  const { config, faults } = checkEnvironment(process.env)
  if (config !== null) return config
  process.stderr.write(`${faults}\n`)
  process.exit(1)
}

/** Throws an Error that lists every fault of an invalid environment. */
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
    error.keyword === 'format'
      ? formats[String(error.params.format)]?.hint(String(error.data))
      : error.message
  const allowed = error.keyword === 'enum' ? `: ${(error.params.allowedValues as string[]).join(', ')}` : ''
  return `${name} ${hint}${allowed}`
}

function fromEnvironment(env: Environment) {
  const publicUrl = env.PUBLIC_URL ?? `http://localhost:${env.PORT}`
  const lifetimeSeconds = env.INTENT_LIFETIME_SECONDS
  const previous = env.SECRET_KEY_PREVIOUS
  const chosen = splitList(env.WORKER_QUEUES) as QueueName[]
  return {
    production: env.NODE_ENV === 'production',
    port: env.PORT,
    /** Where merchants reach the service. The API is at `${publicUrl}/api/v1`. */
    publicUrl,
    /** Where customers pay. A pay URL is `${payUrl}/p/{shortCode}`. */
    payUrl: env.PAY_URL ?? publicUrl,
    mongodbUrl: env.MONGODB_URL,
    /** Certificates to check MongoDB's against. If null, the public authorities apply. */
    mongodbCa: readCertificates(env.MONGODB_TLS_CA ?? ''),
    redisUrl: env.REDIS_URL,
    /** How to check Redis's certificate. If `ca` is null, the public authorities apply. */
    redisTrust: { ca: readCertificates(env.REDIS_TLS_CA ?? ''), verify: env.REDIS_TLS_VERIFY },
    /** They encrypt sensitive values and pepper hashes. The current key is first, then the previous one if any. */
    secretKeys: [
      Buffer.from(env.SECRET_KEY, 'base64'),
      ...(previous === undefined ? [] : [Buffer.from(previous, 'base64')]),
    ] as const,
    /** Memory for hashing one password or PIN. Only tests may lower it. */
    hashMemoryKib: env.HASH_MEMORY_KIB,
    /** The proxies whose X-Forwarded-For is trusted: a number of hops, or addresses and CIDR blocks. */
    trustProxy: parseTrust(env.TRUST_PROXY ?? '') ?? [],
    workerQueues: chosen.length > 0 ? chosen : queueNames,
    queuePrefix: queuePrefix(env),
    logLevel: env.LOG_LEVEL,
    maxAmount: env.MAX_AMOUNT,
    intentLifetimeMs: lifetimeSeconds * 1000,
    codeLifetimeMs: (env.CODE_LIFETIME_SECONDS ?? lifetimeSeconds) * 1000,
    /** The delays before attempts 2 to 8 (SPEC 6.4). */
    webhookRetryMs: splitList(env.WEBHOOK_RETRY_SECONDS).map((seconds) => Math.round(Number(seconds) * 1000)),
    webhookTimeoutMs: env.WEBHOOK_TIMEOUT_SECONDS * 1000,
    /** How long an endpoint must have been failing before the business's other endpoints are notified. */
    endpointWarningMs: env.ENDPOINT_WARNING_HOURS * hourMs,
    /** Endpoints, as `host:port`, that may be private or use plain HTTP. Must be empty in production. */
    webhookAllowedHosts: new Set(splitList(env.WEBHOOK_ALLOWED_HOSTS)),
    /** Networks that webhooks never connect to, in addition to all private ones. */
    webhookBlockedRanges: splitList(env.WEBHOOK_BLOCKED_RANGES).map(parseRange),
    webhookHeaderBrand: env.WEBHOOK_HEADER_BRAND,
    /**
     * The provider that moves the money of live payments. Without it, no live intent can be paid. `name` is stored with
     * each payment, and `key` signs the requests to `url`.
     */
    walletProvider: walletProvider(env),
    /** The timeout of a single call to a wallet. */
    walletTimeoutMs: env.WALLET_PROVIDER_TIMEOUT_SECONDS * 1000,
    /** Test data older than this is deleted. */
    sandboxRetentionMs: env.SANDBOX_RETENTION_DAYS * dayMs,
    /** The attempts of finished live deliveries are deleted at this age. If null, they are kept forever. */
    liveDeliveryRetentionMs: env.LIVE_DELIVERY_RETENTION_DAYS * dayMs || null,
    /** How long `web` goes on accepting connections after SIGTERM. */
    shutdownDrainMs: env.SHUTDOWN_DRAIN_SECONDS * 1000,
    /** The time from SIGTERM until the process ends, at most. */
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_SECONDS * 1000,
    /** Applies to each API key, and to each address that sends rejected credentials. If null, there's no limit. */
    rateLimitPerSecond: env.RATE_LIMIT_PER_SECOND || null,
    /** How many live payment codes a business may have in use at a time. */
    liveCodesPerBusiness: env.LIVE_CODES_PER_BUSINESS,
    /** Intents, orders and products created with test keys per business and UTC day. If null, there's no limit. */
    sandboxIntentsPerDay: env.SANDBOX_INTENTS_PER_DAY || null,
    /** What a business may store per UTC day. If null, there's no limit. */
    liveDocumentsPerDay: env.LIVE_DOCUMENTS_PER_DAY || null,
    liveBytesPerDay: env.LIVE_BYTES_PER_DAY || null,
    sandboxBytesPerDay: env.SANDBOX_BYTES_PER_DAY || null,
    /** Per business and UTC day; live and test keys are counted separately. If null, there's no limit. */
    auditLinesPerDay: env.AUDIT_LINES_PER_DAY || null,
    /** A `worker` serves /healthz and /readyz here. If null, it doesn't serve them. */
    workerPort: env.WORKER_PORT ?? null,
    /** A port for /metrics only. If null, /metrics is on the same port as /healthz. */
    metricsPort: env.METRICS_PORT ?? null,
    /** Requests for /metrics must carry this token, on every port. If null, they need none. */
    metricsToken: env.METRICS_TOKEN ?? null,
    /** Traces go here (OTLP over HTTP), without the suffix `/v1/traces`. If null, tracing is off. */
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, '') ?? null,
    /** Only the ratio samplers use `ratio`. */
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
 * In a cluster, all keys of a queue must be on one node, so their prefix needs a hash tag (in braces). The queues and
 * the rate limits share one prefix, and therefore a node. They need little of its capacity.
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
