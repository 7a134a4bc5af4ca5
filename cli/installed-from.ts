import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Lock {
  packages: Record<string, { resolved: string }>
}

/**
 * Returns the origin of the service from which npx has installed this package, or null if it comes from elsewhere. npm
 * records the URL of each package beside the packages.
 */
export function installedFrom(): string | null {
  try {
    const file = join(import.meta.dirname, '../../../.package-lock.json')
    const { packages } = JSON.parse(readFileSync(file, 'utf8')) as Lock
    const { protocol, origin } = new URL(packages['node_modules/payment-intents-cli']?.resolved ?? '')
    return protocol === 'file:' ? null : origin
  } catch {
    return null
  }
}
