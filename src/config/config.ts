import { Ajv, type ErrorObject } from 'ajv'
import { type Environment, environment } from '../../schemas/environment.ts'
import { type QueueName, queueNames } from '../../schemas/jobs.ts'
import { parseRange } from '../platform/network.ts'
import { combinedFaults } from './faults.ts'
import { formats, list, parseTrust, readCertificates } from './formats.ts'
import { parseRedisUrl } from './redis-url.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The configuration of a process, parsed from its environment. */
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

/**
 * Reads the configuration from the environment. If the environment is invalid, prints every fault with the name of its
 * variable, and exits.
 */
export function loadConfig(): Config {
  const { config, faults } = checkEnvironment(process.env)
  if (config !== null) return config
  process.stderr.write(`${faults}\n`)
  process.exit(1)
}

/**
 * Reads the configuration from the given environment. If the environment is invalid, throws an Error whose message
 * lists every fault.
 */
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
    /** The URL at which merchants reach this service. The API is at `${publicUrl}/api/v1`. */
    publicUrl,
    /** The URL at which customers reach the hosted checkout. A pay URL is `${payUrl}/p/{shortCode}`. */
    payUrl: env.PAY_URL ?? publicUrl,
    mongodbUrl: env.MONGODB_URL,
    /** The certificates that MongoDB's certificate is checked against. If null, the public authorities apply. */
    mongodbCa: readCertificates(env.MONGODB_TLS_CA ?? ''),
    redisUrl: env.REDIS_URL,
    /** How Redis's certificate is checked. If `ca` is null, the public authorities apply. */
    redisTrust: { ca: readCertificates(env.REDIS_TLS_CA ?? ''), verify: env.REDIS_TLS_VERIFY },
    /**
     * The keys that encrypt sensitive values and pepper hashes: the current key, followed by the previous key if that
     * key is still accepted.
     */
    secretKeys: [
      Buffer.from(env.SECRET_KEY, 'base64'),
      ...(previous === undefined ? [] : [Buffer.from(previous, 'base64')]),
    ] as const,
    /** The memory that hashing a password or PIN takes, in KiB. Only tests may lower it. */
    hashMemoryKib: env.HASH_MEMORY_KIB,
    /**
     * The proxies whose X-Forwarded-For header is trusted: a number of hops, or a list of addresses and CIDR blocks.
     */
    trustProxy: parseTrust(env.TRUST_PROXY ?? '') ?? [],
    workerQueues: chosen.length > 0 ? chosen : queueNames,
    queuePrefix: queuePrefix(env),
    logLevel: env.LOG_LEVEL,
    maxAmount: env.MAX_AMOUNT,
    intentLifetimeMs: lifetimeSeconds * 1000,
    codeLifetimeMs: (env.CODE_LIFETIME_SECONDS ?? lifetimeSeconds) * 1000,
    /** The delays before attempts 2 to 8 of a webhook delivery (SPEC 6.4). */
    webhookRetryMs: list(env.WEBHOOK_RETRY_SECONDS).map((seconds) => Math.round(Number(seconds) * 1000)),
    webhookTimeoutMs: env.WEBHOOK_TIMEOUT_SECONDS * 1000,
    /** How long an endpoint must have been failing before this is reported to the business's other endpoints. */
    endpointWarningMs: env.ENDPOINT_WARNING_HOURS * hourMs,
    /**
     * The `host:port` pairs of endpoints that may have private addresses or use plain HTTP. Must be empty in
     * production.
     */
    webhookAllowedHosts: new Set(list(env.WEBHOOK_ALLOWED_HOSTS)),
    /** The networks that webhooks must never connect to, in addition to all private networks. */
    webhookBlockedRanges: list(env.WEBHOOK_BLOCKED_RANGES).map(parseRange),
    webhookHeaderBrand: env.WEBHOOK_HEADER_BRAND,
    /**
     * The provider that moves the money for live payments. If null, no live intent can be paid. `name` is stored with
     * each payment, and `key` signs the requests to `url`.
     */
    walletProvider: walletProvider(env),
    /** The timeout for a single call to a wallet. */
    walletTimeoutMs: env.WALLET_PROVIDER_TIMEOUT_SECONDS * 1000,
    /** The age at which data created with test keys is deleted. */
    sandboxRetentionMs: env.SANDBOX_RETENTION_DAYS * dayMs,
    /** The age at which the attempts of completed live deliveries are deleted. If null, they are kept forever. */
    liveDeliveryRetentionMs: env.LIVE_DELIVERY_RETENTION_DAYS * dayMs || null,
    /** How long the `web` process keeps accepting connections after SIGTERM. */
    shutdownDrainMs: env.SHUTDOWN_DRAIN_SECONDS * 1000,
    /** The maximum time from SIGTERM to the end of a process. */
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_SECONDS * 1000,
    /**
     * The maximum number of requests per second for each API key. The limit also applies to each address that sends
     * requests with rejected credentials. If null, there is no limit.
     */
    rateLimitPerSecond: env.RATE_LIMIT_PER_SECOND || null,
    /** The maximum number of live payment codes that one business may have in use. */
    liveCodesPerBusiness: env.LIVE_CODES_PER_BUSINESS,
    /**
     * The maximum number of intents, orders and products that one business may create with test keys in a UTC day. If
     * null, there is no limit.
     */
    sandboxIntentsPerDay: env.SANDBOX_INTENTS_PER_DAY || null,
    /** What one business may store in a UTC day. If null, there is no limit. */
    liveDocumentsPerDay: env.LIVE_DOCUMENTS_PER_DAY || null,
    liveBytesPerDay: env.LIVE_BYTES_PER_DAY || null,
    sandboxBytesPerDay: env.SANDBOX_BYTES_PER_DAY || null,
    /**
     * The maximum number of lines that the live, or the test, keys of one business may add to the audit trail in a UTC
     * day. If null, there is no limit.
     */
    auditLinesPerDay: env.AUDIT_LINES_PER_DAY || null,
    /** The port on which a `worker` serves /healthz and /readyz. If null, it does not serve them. */
    workerPort: env.WORKER_PORT ?? null,
    /** The port on which a process serves only /metrics. If null, it serves /metrics on the same port as /healthz. */
    metricsPort: env.METRICS_PORT ?? null,
    /** The token that a request for /metrics must contain, on every port. If null, no token is needed. */
    metricsToken: env.METRICS_TOKEN ?? null,
    /** The URL to which traces are sent (OTLP over HTTP), without the `/v1/traces` suffix. If null, tracing is off. */
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, '') ?? null,
    /** Which traces are kept. `ratio` applies to the samplers that keep a share of them. */
    traceSampler: { name: env.OTEL_TRACES_SAMPLER, ratio: env.OTEL_TRACES_SAMPLER_ARG },
    /** The commission rates, in basis points (src/wallets/commission.ts). */
    commissionRates: {
      provider: env.COMMISSION_PROVIDER_BPS,
      payer: env.COMMISSION_PAYER_BPS,
      tof: env.COMMISSION_TOF_BPS,
      tte: env.COMMISSION_TTE_BPS,
    },
  }
}

/**
 * In a cluster, all keys of a queue must be on one node, so their common prefix must be a hash tag (in braces). All
 * queues and the rate limits have the same prefix, so they are on the same node. They share a connection and need
 * little of its capacity.
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
