import type { FromSchema } from 'json-schema-to-ts'

/** The process environment. `.env.example` lists the same names; a test holds the two equal. */
export const environment = {
  type: 'object',
  required: ['MONGODB_URL', 'REDIS_URL', 'SECRET_KEY'],
  properties: {
    NODE_ENV: { enum: ['production', 'development', 'test'], default: 'development' },
    PORT: { type: 'integer', minimum: 0, maximum: 65535, default: 3000 },
    PUBLIC_URL: { type: 'string', format: 'http-origin' },
    PAY_URL: { type: 'string', format: 'http-origin' },
    MONGODB_URL: { type: 'string', format: 'mongodb-url' },
    REDIS_URL: { type: 'string', format: 'redis-url' },
    SECRET_KEY: { type: 'string', format: 'key-of-32-bytes' },
    SECRET_KEY_PREVIOUS: { type: 'string', format: 'key-of-32-bytes' },
    TRUST_PROXY: { type: 'string', format: 'proxy-trust' },
    WORKER_QUEUES: { type: 'string', format: 'queue-list' },
    QUEUE_PREFIX: { type: 'string', pattern: '^[\\w{}-]{1,40}$', default: 'pi' },
    LOG_LEVEL: { enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], default: 'info' },
    MAX_AMOUNT: { type: 'integer', minimum: 1, maximum: 9_007_199_254_740_991, default: 1_000_000_000 },
    INTENT_LIFETIME_SECONDS: { type: 'integer', minimum: 1, maximum: 31_536_000, default: 86_400 },
    CODE_LIFETIME_SECONDS: { type: 'integer', minimum: 1, maximum: 31_536_000 },
    WEBHOOK_RETRY_SECONDS: {
      type: 'string',
      pattern: '^\\d{1,7}(\\.\\d{1,3})?(,\\d{1,7}(\\.\\d{1,3})?){6}$',
      default: '30,120,900,3600,14400,43200,86400',
    },
    WEBHOOK_TIMEOUT_SECONDS: { type: 'number', exclusiveMinimum: 0, maximum: 120, default: 30 },
    WEBHOOK_ALLOWED_HOSTS: { type: 'string', format: 'host-port-list' },
    WEBHOOK_BLOCKED_RANGES: { type: 'string', format: 'range-list' },
    WALLET_PROVIDER_URL: { type: 'string', format: 'http-url' },
    WALLET_PROVIDER_NAME: { type: 'string', pattern: '^[\\w.:-]{1,64}$' },
    WALLET_PROVIDER_KEY: { type: 'string', minLength: 32, maxLength: 512 },
    WALLET_PROVIDER_TIMEOUT_SECONDS: { type: 'number', exclusiveMinimum: 0, maximum: 60, default: 10 },
    COMMISSION_PROVIDER_BPS: { type: 'integer', minimum: 0, maximum: 5_000, default: 200 },
    COMMISSION_PAYER_BPS: { type: 'integer', minimum: 0, maximum: 5_000, default: 100 },
    COMMISSION_TOF_BPS: { type: 'integer', minimum: 0, maximum: 5_000, default: 1_400 },
    COMMISSION_TTE_BPS: { type: 'integer', minimum: 0, maximum: 5_000, default: 200 },
    SANDBOX_RETENTION_DAYS: { type: 'number', exclusiveMinimum: 0, maximum: 3_650, default: 30 },
    LIVE_DELIVERY_RETENTION_DAYS: { type: 'number', minimum: 0, maximum: 3_650, default: 90 },
    RATE_LIMIT_PER_SECOND: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 100 },
    WORKER_PORT: { type: 'integer', minimum: 0, maximum: 65535 },
    OTEL_EXPORTER_OTLP_ENDPOINT: { type: 'string', format: 'http-url' },
    WEBHOOK_HEADER_BRAND: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9]{0,30}$', default: 'Service' },
  },
} as const

export type Environment = FromSchema<typeof environment>
