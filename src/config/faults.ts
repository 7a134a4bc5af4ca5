import { environmentSchema } from '../../schemas/environment.ts'
import { usesMongoTls } from './mongo-url.ts'
import { parseRedisUrl } from './redis-url.ts'

type Given = Readonly<Record<string, unknown>>

/** Finds errors that ajv can't. Messages never quote a key. */
export function findConfigFaults(given: Given): string[] {
  // ajv converts `Infinity` to a number, which passes every maximum.
  const isInfinite = (name: string) => typeof given[name] === 'number' && !Number.isFinite(given[name])
  const faults = Object.keys(given)
    .filter(isInfinite)
    .map((name) => `${name} must be finite`)
  if (Number(given.CODE_LIFETIME_SECONDS) > Number(given.INTENT_LIFETIME_SECONDS))
    faults.push('CODE_LIFETIME_SECONDS must not be longer than INTENT_LIFETIME_SECONDS')
  if ((given.WALLET_PROVIDER_URL === undefined) !== (given.WALLET_PROVIDER_KEY === undefined))
    faults.push('WALLET_PROVIDER_URL and WALLET_PROVIDER_KEY must be set together')
  if (Number(given.SHUTDOWN_TIMEOUT_SECONDS) < Number(given.SHUTDOWN_DRAIN_SECONDS) + 5)
    faults.push('SHUTDOWN_TIMEOUT_SECONDS must be at least 5 more than SHUTDOWN_DRAIN_SECONDS')
  for (const name of ['PORT', 'WORKER_PORT'])
    if (Number(given.METRICS_PORT) > 0 && given.METRICS_PORT === given[name])
      faults.push(`METRICS_PORT must differ from ${name}`)
  for (const name of ['PORT', 'METRICS_PORT'])
    if (given[name] === 0 && Number(given.WEB_CONCURRENCY) > 1)
      faults.push(`${name} must not be 0 if WEB_CONCURRENCY is above 1`)
  if (given.MONGODB_TLS_CA !== undefined && !usesMongoTls(textOf(given, 'MONGODB_URL')))
    faults.push('MONGODB_TLS_CA needs tls=true in MONGODB_URL')
  if (parseRedisUrl(textOf(given, 'REDIS_URL'))?.tls === false) {
    if (given.REDIS_TLS_CA !== undefined) faults.push('REDIS_TLS_CA needs rediss:// in REDIS_URL')
    if (given.REDIS_TLS_VERIFY !== 'full') faults.push('REDIS_TLS_VERIFY needs rediss:// in REDIS_URL')
  }
  return given.NODE_ENV === 'production' ? [...faults, ...faultsInProduction(given)] : faults
}

function faultsInProduction(given: Given): string[] {
  const faults: string[] = []
  if (given.WEBHOOK_ALLOWED_HOSTS !== undefined)
    faults.push('WEBHOOK_ALLOWED_HOSTS must not be set in production')
  if (given.PUBLIC_URL === undefined) faults.push('PUBLIC_URL is missing, and must be set in production')
  for (const name of ['PUBLIC_URL', 'PAY_URL', 'WALLET_PROVIDER_URL', 'NOTICE_WEBHOOK_URL'])
    if (/^http:/i.test(textOf(given, name))) faults.push(`${name} must use https in production`)
  if (Number(given.SANDBOX_RETENTION_DAYS) < 1)
    faults.push('SANDBOX_RETENTION_DAYS must be 1 or more in production')
  if (Number(given.LIVE_DELIVERY_RETENTION_DAYS) > 0 && Number(given.LIVE_DELIVERY_RETENTION_DAYS) < 1)
    faults.push('LIVE_DELIVERY_RETENTION_DAYS must be 0 (never delete), or 1 or more, in production')
  if (given.METRICS_TOKEN === undefined && given.METRICS_PORT === undefined)
    faults.push('METRICS_TOKEN or METRICS_PORT must be set in production, because /metrics is not public')
  const token = textOf(given, 'METRICS_TOKEN')
  if (token.length >= 16 && isWeakToken(token))
    faults.push('METRICS_TOKEN must not be a weak or example token in production (openssl rand -hex 32)')
  for (const name of ['SECRET_KEY', 'SECRET_KEY_PREVIOUS'])
    if (bytesOf(given, name).length === 32 && isWeakKey(textOf(given, name)))
      faults.push(`${name} must not be a weak or example key in production (openssl rand -base64 32)`)
  const memoryKib = environmentSchema.properties.HASH_MEMORY_KIB.default
  if (given.HASH_MEMORY_KIB !== memoryKib) faults.push(`HASH_MEMORY_KIB must be ${memoryKib} in production`)
  const key = bytesOf(given, 'SECRET_KEY')
  if (key.length === 32 && key.equals(bytesOf(given, 'SECRET_KEY_PREVIOUS')))
    faults.push('SECRET_KEY_PREVIOUS must differ from SECRET_KEY in production')
  if (textOf(given, 'WALLET_PROVIDER_KEY').length >= 32 && isWeakToken(textOf(given, 'WALLET_PROVIDER_KEY')))
    faults.push('WALLET_PROVIDER_KEY must not be a weak or example key in production')
  return faults
}

function textOf(given: Given, name: string): string {
  const value = given[name]
  return typeof value === 'string' ? value : ''
}

const bytesOf = (given: Given, name: string): Buffer => Buffer.from(textOf(given, name), 'base64')

/** A random key has about 30 distinct bytes. */
const minDistinct = 16

/** Detects repetitions, sequences, text and single-case words. */
export function isWeakKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64')
  const steps = bytes.map((byte, at) => byte - (bytes[at - 1] ?? 0)).subarray(1)
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  const isOfOneCase = !/[a-z]/.test(text) || !/[A-Z]/.test(text)
  return new Set(bytes).size < minDistinct || new Set(steps).size < minDistinct || isText || isOfOneCase
}

const placeholder = /change.?me|example|placeholder|password|your.?(api.?)?(key|secret)/i

export function isWeakToken(text: string): boolean {
  const pieces = new Set(Array.from(text.slice(2), (_, at) => text.slice(at, at + 3)))
  const steps = new Set(Array.from(text.slice(1), (letter, at) => letter.charCodeAt(0) - text.charCodeAt(at)))
  // 32 random digits have nearly 30 distinct groups of three.
  const minPieces = Math.min(15, 0.75 * (text.length - 2))
  return placeholder.test(text) || pieces.size < minPieces || steps.size < 6
}
