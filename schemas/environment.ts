import type { FromSchema } from 'json-schema-to-ts'
import { maxAttempts, retryWaitSeconds } from './deliveries.ts'

const formatted = <const Format extends string>(format: Format) => ({ type: 'string', format }) as const
const matching = (pattern: string, byDefault: string) =>
  ({ type: 'string', pattern, default: byDefault }) as const
const oneOf = <const Value extends string>(values: readonly Value[], byDefault: NoInfer<Value>) =>
  ({ enum: values, default: byDefault }) as const
const port = { type: 'integer', minimum: 0, maximum: 65535 } as const
const integer = (minimum: number, maximum: number, byDefault: number) =>
  ({ type: 'integer', minimum, maximum, default: byDefault }) as const
const number = (minimum: number, maximum: number, byDefault: number) =>
  ({ type: 'number', minimum, maximum, default: byDefault }) as const
const positive = (maximum: number, byDefault: number) =>
  ({ type: 'number', exclusiveMinimum: 0, maximum, default: byDefault }) as const

const described = <const Table extends Record<string, readonly [schema: object, description: string]>>(
  table: Table,
) =>
  Object.fromEntries(
    Object.entries(table).map(([name, [schema, description]]) => [name, { ...schema, description }]),
  ) as { readonly [Name in keyof Table]: Table[Name][0] & { description: string } }

/** `npm run tables` copies these descriptions to the configuration guide. */
export const environmentSchema = {
  type: 'object',
  required: ['MONGODB_URL', 'REDIS_URL', 'SECRET_KEY'],
  properties: described({
    NODE_ENV: [
      oneOf(['production', 'development', 'test'], 'development'),
      '`production` rejects unsafe settings; other values let `web` and `worker` create the indexes.',
    ],
    PORT: [{ ...port, default: 3000 }, 'Port of `web`.'],
    WEB_CONCURRENCY: [
      integer(1, 32, 1),
      'How many `web` processes to run in this container. They divide its [capacity](scale.md#several-processes-in-one-container).',
    ],
    PUBLIC_URL: [
      formatted('http-origin'),
      'Where merchants reach the service. Defaults to `http://localhost:PORT`. Required in production, with https.',
    ],
    PAY_URL: [
      formatted('http-origin'),
      'Where customers reach the payment pages. Defaults to `PUBLIC_URL`. Must be https in production.',
    ],
    SECURITY_CONTACT: [
      formatted('contact-list'),
      'Where to report a vulnerability, best address first: `mailto:` and https URLs. Published in `/.well-known/security.txt`.',
    ],
    SUPPORT_CONTACT: [
      formatted('contact-list'),
      'Where merchants get help. The API description shows the first e-mail address and the first URL.',
    ],
    MONGODB_URL: [formatted('mongodb-url'), "MongoDB's URL, with the database name."],
    MONGODB_TLS_CA: [
      formatted('certificates'),
      "MongoDB's certificate authority or self-signed certificate. Needs `tls=true` in `MONGODB_URL`.",
    ],
    REDIS_URL: [
      formatted('redis-url'),
      'The URL of Redis, of its sentinels (with the master name), or of cluster nodes.',
    ],
    REDIS_TLS_CA: [formatted('certificates'), 'The same for Redis. Needs a `rediss` URL.'],
    REDIS_TLS_VERIFY: [
      oneOf(['full', 'ca', 'off'], 'full'),
      "How to check Redis's certificate. `ca` ignores the host name; `off` checks nothing.",
    ],
    SECRET_KEY: [
      formatted('key-of-32-bytes'),
      'If it is lost, so are webhook secrets, stored responses and API keys, and no intents can be created.',
    ],
    SECRET_KEY_PREVIOUS: [
      formatted('key-of-32-bytes'),
      'The previous key, while `SECRET_KEY` is being changed.',
    ],
    HASH_MEMORY_KIB: [
      integer(8, 19_456, 19_456),
      'Memory for hashing a password or PIN. Lower it only for fast tests; production rejects that.',
    ],
    TRUST_PROXY: [
      formatted('proxy-trust'),
      'Proxies whose `X-Forwarded-For` is trusted. If unset, all callers behind a proxy share one address.',
    ],
    WORKER_QUEUES: [
      formatted('queue-list'),
      'The queues that this worker serves, by default all. Every queue needs a worker.',
    ],
    QUEUE_PREFIX: [
      matching('^[\\w{}-]{1,40}$', 'pi'),
      'Prefix of every key in Redis: 1 to 40 letters, digits and `_ - { }`. In a cluster, `pi` becomes `{pi}`.',
    ],
    LOG_LEVEL: [
      oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
      'The lowest level that is logged.',
    ],
    // 9,000 payments of 10^12 centimes still add up to a safe integer.
    MAX_AMOUNT: [
      integer(1, 1_000_000_000_000, 1_000_000_000),
      'The highest amount of an intent, in centimes. At most 10^12.',
    ],
    INTENT_LIFETIME_SECONDS: [integer(1, 31_536_000, 86_400), 'How long a payment intent can be paid.'],
    CODE_LIFETIME_SECONDS: [
      { type: 'integer', minimum: 1, maximum: 31_536_000 },
      'How long a payment code works: at most, and by default, as long as its intent.',
    ],
    WEBHOOK_RETRY_SECONDS: [
      matching(
        `^\\d{1,7}(\\.\\d{1,3})?(,\\d{1,7}(\\.\\d{1,3})?){${retryWaitSeconds.length - 1}}$`,
        retryWaitSeconds.join(','),
      ),
      `The waits before attempts 2 to ${maxAttempts} of a delivery: ${retryWaitSeconds.length} comma-separated numbers.`,
    ],
    WEBHOOK_TIMEOUT_SECONDS: [
      positive(120, 30),
      'Time limit for an attempt, from DNS to the last byte of the response.',
    ],
    ENDPOINT_WARNING_HOURS: [
      positive(720, 24),
      "Hours without success after which a failing endpoint is reported to its business's other endpoints. Decimals are allowed.",
    ],
    WEBHOOK_HEADER_BRAND: [
      matching('^[A-Za-z][A-Za-z0-9]{0,30}$', 'Service'),
      'The word in `User-Agent` and headers such as `X-Service-Signature`: 1 to 31 letters and digits, beginning with a letter.',
    ],
    WEBHOOK_ALLOWED_HOSTS: [
      formatted('host-port-list'),
      'Endpoints that may have a private address or use plain http. For development; refused in production.',
    ],
    WEBHOOK_BLOCKED_RANGES: [
      formatted('range-list'),
      'Public networks that webhooks must not reach, such as your own NAT64 prefix.',
    ],
    WEBHOOK_PROXY_URL: [
      formatted('proxy-url'),
      'Sends all webhooks through this HTTP proxy, so that merchants can allow its address: `http://[user:password@]host:port`. The wallet provider is still reached directly.',
    ],
    NOTICE_WEBHOOK_URL: [
      formatted('http-url-with-query'),
      'Where operators are told about [failing endpoints](watch.md#notices), e.g. a chat system. It is a secret, and may be a private address. Must be https in production.',
    ],
    WALLET_PROVIDER_URL: [
      formatted('http-url'),
      'The URL of the wallet provider, without which no live payment is possible. Must be https in production.',
    ],
    WALLET_PROVIDER_NAME: [
      { type: 'string', pattern: '^[\\w.:-]{1,64}$' },
      "The provider's name, stored with each payment: 1 to 64 letters, digits and `_ . : -`. Defaults to the URL's host. Keep it if the URL changes.",
    ],
    WALLET_PROVIDER_KEY: [
      { type: 'string', minLength: 32, maxLength: 512 },
      'Signs the requests to the provider. 32 to 512 characters; set it together with the URL.',
    ],
    WALLET_PROVIDER_TIMEOUT_SECONDS: [positive(60, 10), 'Time limit for a request to the provider.'],
    WALLET_PROVIDER_REFUNDS: [
      { type: 'boolean', default: true },
      'Whether the provider can refund. If `false`, refunds of live payments are refused. `true` or `false`.',
    ],
    COMMISSION_PROVIDER_BPS: [integer(0, 5_000, 200), "The merchant's fee, in basis points of the amount."],
    COMMISSION_PAYER_BPS: [integer(0, 5_000, 100), "The payer's fee, in basis points of the amount."],
    COMMISSION_TOF_BPS: [integer(0, 5_000, 1_400), 'The TOF tax rate, in basis points of the fees.'],
    COMMISSION_TTE_BPS: [integer(0, 5_000, 200), 'The TTE tax rate, in basis points of the fees.'],
    SANDBOX_RETENTION_DAYS: [
      positive(3_650, 30),
      'Days after which test data is removed; at least 1 in production.',
    ],
    LIVE_DELIVERY_RETENTION_DAYS: [
      number(0, 3_650, 90),
      'Days after which attempts of finished live deliveries are removed. 0 means never. In production, 0 or at least 1.',
    ],
    RATE_LIMIT_PER_SECOND: [
      integer(0, 1_000_000, 100),
      'Requests per second for each API key, and for each address without a valid key. 0: no limit. Must be the same in all processes.',
    ],
    LIVE_CODES_PER_BUSINESS: [
      integer(1, 1_000_000, 20_000),
      'Live payment codes that one business may have in use.',
    ],
    SANDBOX_INTENTS_PER_DAY: [
      integer(0, 1_000_000_000, 50_000),
      "Intents, orders and products that one business's test keys may create per UTC day. 0: no limit.",
    ],
    LIVE_DOCUMENTS_PER_DAY: [
      integer(0, 1_000_000_000_000, 10_000_000),
      'Documents that one business may store with live keys per UTC day. 0: no limit.',
    ],
    LIVE_BYTES_PER_DAY: [integer(0, 1_000_000_000_000_000, 20_000_000_000), 'The same limit, in bytes.'],
    SANDBOX_BYTES_PER_DAY: [integer(0, 1_000_000_000_000_000, 1_000_000_000), 'The same for test keys.'],
    AUDIT_LINES_PER_DAY: [
      integer(0, 1_000_000_000, 1_000),
      'Changes of endpoints, keys and people, refunds in the portal, retries and replays per business and UTC day, separately for live and test keys. 0: no limit.',
    ],
    SHUTDOWN_DRAIN_SECONDS: [
      number(0, 60, 2),
      'How long `web` accepts connections after SIGTERM, while `/readyz` returns 503.',
    ],
    SHUTDOWN_TIMEOUT_SECONDS: [
      number(10, 600, 25),
      'How long a process may take to end after SIGTERM: 5 s less than the platform allows.',
    ],
    WORKER_PORT: [
      port,
      "The port of a worker's `/healthz`, `/readyz` and, without `METRICS_PORT`, `/metrics`. By default, none.",
    ],
    METRICS_PORT: [port, 'If set, only this port serves `/metrics`, and it serves nothing else.'],
    METRICS_TOKEN: [
      formatted('bearer-token'),
      'Token that `/metrics` requires, on every port. Production requires this or `METRICS_PORT`.',
    ],
    OTEL_EXPORTER_OTLP_ENDPOINT: [
      formatted('http-url'),
      'Where traces are sent (OTLP over HTTP), such as `http://collector:4318`. If unset, nothing is traced.',
    ],
    OTEL_EXPORTER_OTLP_HEADERS: [
      { type: 'string', maxLength: 4_096 },
      'Headers for the trace collector, such as `authorization=Bearer%20TOKEN`: comma-separated, percent-encoded.',
    ],
    OTEL_SERVICE_NAME: [
      { type: 'string', maxLength: 255 },
      "The service's name in traces. Defaults to `payment-intents-web` and `payment-intents-worker`.",
    ],
    OTEL_RESOURCE_ATTRIBUTES: [
      { type: 'string', maxLength: 4_096 },
      'More attributes for every trace, such as `deployment.environment.name=staging`.',
    ],
    OTEL_TRACES_SAMPLER: [
      oneOf(
        [
          'always_on',
          'always_off',
          'traceidratio',
          'parentbased_always_on',
          'parentbased_always_off',
          'parentbased_traceidratio',
        ],
        'parentbased_always_on',
      ),
      'Which traces to keep: the name of an OpenTelemetry sampler.',
    ],
    OTEL_TRACES_SAMPLER_ARG: [
      number(0, 1, 1),
      'The share of traces that `traceidratio` and `parentbased_traceidratio` keep.',
    ],
  }),
} as const

export type EnvironmentVariables = FromSchema<typeof environmentSchema>
