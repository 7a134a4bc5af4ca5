import { Ajv, type ErrorObject } from 'ajv'
import { type EnvironmentVariables, environmentSchema } from '../../schemas/environment.ts'
import { type QueueName, queueNames } from '../../schemas/jobs.ts'
import { parseIpRange } from '../platform/network.ts'
import { dayMs, hourMs } from '../platform/time.ts'
import { findConfigFaults } from './faults.ts'
import { envFormats, parseProxyTrust, parseProxyUrl, readCertificates, splitAtCommas } from './formats.ts'
import { parseRedisUrl } from './redis-url.ts'

export type Config = ReturnType<typeof fromEnvironment>

const validate = new Ajv({
  validateSchema: false,
  allErrors: true,
  coerceTypes: true,
  useDefaults: true,
  verbose: true,
  formats: envFormats,
}).compile<EnvironmentVariables>(environmentSchema)

export function loadConfig(): Config {
  try {
    return parseConfig(process.env)
  } catch (error) {
    if (!(error instanceof InvalidEnvironment)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

class InvalidEnvironment extends Error {}

export function parseConfig(source: Record<string, string | undefined>): Config {
  const given: Record<string, unknown> = {}
  for (const name of Object.keys(environmentSchema.properties)) if (source[name]) given[name] = source[name]
  validate(given)
  const faults = [...(validate.errors ?? []).map(describe), ...findConfigFaults(given)]
  if (faults.length === 0) return fromEnvironment(given as EnvironmentVariables)
  throw new InvalidEnvironment(`The environment is not valid:\n  ${faults.join('\n  ')}`)
}

function describe(error: ErrorObject): string {
  if (error.keyword === 'required') return `${String(error.params.missingProperty)} is missing`
  const name = error.instancePath.slice(1)
  const hint =
    error.keyword === 'format'
      ? envFormats[String(error.params.format)]?.hint(String(error.data))
      : error.message
  const allowed = error.keyword === 'enum' ? `: ${(error.params.allowedValues as string[]).join(', ')}` : ''
  return `${name} ${hint}${allowed}`
}

function fromEnvironment(env: EnvironmentVariables) {
  const publicUrl = env.PUBLIC_URL ?? `http://localhost:${env.PORT}`
  const lifetimeSeconds = env.INTENT_LIFETIME_SECONDS
  const previous = env.SECRET_KEY_PREVIOUS
  const chosen = splitAtCommas(env.WORKER_QUEUES) as QueueName[]
  return {
    production: env.NODE_ENV === 'production',
    port: env.PORT,
    /** Always 1 in a worker. */
    webConcurrency: env.WEB_CONCURRENCY,
    publicUrl,
    payUrl: env.PAY_URL ?? publicUrl,
    securityContacts: splitAtCommas(env.SECURITY_CONTACT),
    supportContacts: splitAtCommas(env.SUPPORT_CONTACT),
    mongodbUrl: env.MONGODB_URL,
    mongodbCa: readCertificates(env.MONGODB_TLS_CA ?? ''),
    redisUrl: env.REDIS_URL,
    redisTrust: { ca: readCertificates(env.REDIS_TLS_CA ?? ''), verify: env.REDIS_TLS_VERIFY },
    /** The current key comes first. */
    secretKeys: [
      Buffer.from(env.SECRET_KEY, 'base64'),
      ...(previous === undefined ? [] : [Buffer.from(previous, 'base64')]),
    ] as const,
    /** Only tests lower this. */
    hashMemoryKib: env.HASH_MEMORY_KIB,
    trustProxy: parseProxyTrust(env.TRUST_PROXY ?? '') ?? [],
    workerQueues: chosen.length > 0 ? chosen : queueNames,
    queuePrefix: queuePrefix(env),
    logLevel: env.LOG_LEVEL,
    maxAmount: env.MAX_AMOUNT,
    intentLifetimeMs: lifetimeSeconds * 1000,
    codeLifetimeMs: (env.CODE_LIFETIME_SECONDS ?? lifetimeSeconds) * 1000,
    webhookRetryMs: splitAtCommas(env.WEBHOOK_RETRY_SECONDS).map((seconds) =>
      Math.round(Number(seconds) * 1000),
    ),
    webhookTimeoutMs: env.WEBHOOK_TIMEOUT_SECONDS * 1000,
    endpointWarningMs: env.ENDPOINT_WARNING_HOURS * hourMs,
    /** `host:port` of endpoints that may be private or use plain HTTP. */
    webhookAllowedHosts: new Set(splitAtCommas(env.WEBHOOK_ALLOWED_HOSTS)),
    webhookBlockedRanges: splitAtCommas(env.WEBHOOK_BLOCKED_RANGES).map(parseIpRange),
    /** Its headers contain a password. */
    webhookProxy: parseProxyUrl(env.WEBHOOK_PROXY_URL ?? ''),
    webhookHeaderBrand: env.WEBHOOK_HEADER_BRAND,
    /** A secret: whoever knows it can write to the operators. */
    noticeUrl: env.NOTICE_WEBHOOK_URL ?? null,
    /** If null, live intents can't be paid. */
    walletProvider: walletProvider(env),
    walletTimeoutMs: env.WALLET_PROVIDER_TIMEOUT_SECONDS * 1000,
    sandboxRetentionMs: env.SANDBOX_RETENTION_DAYS * dayMs,
    liveDeliveryRetentionMs: env.LIVE_DELIVERY_RETENTION_DAYS * dayMs || null,
    shutdownDrainMs: env.SHUTDOWN_DRAIN_SECONDS * 1000,
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_SECONDS * 1000,
    /** For these limits, null means unlimited. */
    rateLimitPerSecond: env.RATE_LIMIT_PER_SECOND || null,
    liveCodesPerBusiness: env.LIVE_CODES_PER_BUSINESS,
    sandboxIntentsPerDay: env.SANDBOX_INTENTS_PER_DAY || null,
    liveDocumentsPerDay: env.LIVE_DOCUMENTS_PER_DAY || null,
    liveBytesPerDay: env.LIVE_BYTES_PER_DAY || null,
    sandboxBytesPerDay: env.SANDBOX_BYTES_PER_DAY || null,
    /** Live and test keys are counted separately. */
    auditLinesPerDay: env.AUDIT_LINES_PER_DAY || null,
    workerPort: env.WORKER_PORT ?? null,
    metricsPort: env.METRICS_PORT ?? null,
    metricsToken: env.METRICS_TOKEN ?? null,
    /** Base URL, without `/v1/traces`. Null turns tracing off. */
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, '') ?? null,
    traceSampler: { name: env.OTEL_TRACES_SAMPLER, ratio: env.OTEL_TRACES_SAMPLER_ARG },
    commissionRates: {
      provider: env.COMMISSION_PROVIDER_BPS,
      payer: env.COMMISSION_PAYER_BPS,
      tof: env.COMMISSION_TOF_BPS,
      tte: env.COMMISSION_TTE_BPS,
    },
  }
}

/** A cluster needs a hash tag to keep all keys of a queue on one node. */
function queuePrefix({ REDIS_URL: url, QUEUE_PREFIX: prefix }: EnvironmentVariables): string {
  const isTagged = /\{[^}]+\}/.test(prefix)
  return parseRedisUrl(url)?.kind === 'cluster' && !isTagged ? `{${prefix}}` : prefix
}

function walletProvider(env: EnvironmentVariables) {
  const { WALLET_PROVIDER_URL: url, WALLET_PROVIDER_KEY: key = '' } = env
  if (url === undefined) return null
  const name = env.WALLET_PROVIDER_NAME ?? new URL(url).host
  return { name, url: url.replace(/\/$/, ''), key, refunds: env.WALLET_PROVIDER_REFUNDS }
}
