import { randomBytes } from 'node:crypto'
import type { Setting } from '../evidence/evidence.ts'

/** Short, so that all work ends within the round or soon after it. */
export const settings: Setting['settings'] = {
  intentLifetimeSeconds: 12,
  codeLifetimeSeconds: 8,
  retrySeconds: [0.3, 0.4, 0.5, 0.8, 1, 1.5, 2],
  webhookTimeoutSeconds: 2,
  sandboxRetentionDays: 30,
}
const unlimited = '1000000000000'

type Addresses = { mongodbUrl: string; redisUrl: string }

export const environmentOf = ({ mongodbUrl, redisUrl }: Addresses, webOrigin: string) => ({
  NODE_ENV: 'test',
  MONGODB_URL: mongodbUrl,
  REDIS_URL: redisUrl,
  SECRET_KEY: randomBytes(32).toString('base64'),
  HASH_MEMORY_KIB: '64',
  LOG_LEVEL: 'info',
  RATE_LIMIT_PER_SECOND: '1000',
  LIVE_CODES_PER_BUSINESS: '1000000',
  SANDBOX_INTENTS_PER_DAY: '1000000000',
  AUDIT_LINES_PER_DAY: '1000000000',
  LIVE_DOCUMENTS_PER_DAY: '1000000000',
  LIVE_BYTES_PER_DAY: unlimited,
  SANDBOX_BYTES_PER_DAY: unlimited,
  PUBLIC_URL: webOrigin,
  PAY_URL: webOrigin,
  INTENT_LIFETIME_SECONDS: String(settings.intentLifetimeSeconds),
  CODE_LIFETIME_SECONDS: String(settings.codeLifetimeSeconds),
  WEBHOOK_RETRY_SECONDS: settings.retrySeconds.join(','),
  WEBHOOK_TIMEOUT_SECONDS: String(settings.webhookTimeoutSeconds),
  WALLET_PROVIDER_TIMEOUT_SECONDS: '1',
  SANDBOX_RETENTION_DAYS: String(settings.sandboxRetentionDays),
})
