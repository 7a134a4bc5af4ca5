import { requireNode } from '../src/process/require-node.ts'

requireNode()
await import('./run/run-worker.ts')
