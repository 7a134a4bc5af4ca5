import { requireNode24 } from './platform/require-node.ts'

requireNode24()
const { default: cluster } = await import('node:cluster')
const { loadConfig } = await import('./config/config.ts')
if (cluster.isPrimary && loadConfig().webConcurrency > 1) await import('./run-cluster.ts')
else await import('./run-web.ts')
