/** Groups of jobs (runtime/jobs.ts): what runs one after the other, so that the node has something left for its workloads. */

/** One at a time: builds take most of what they are given. */
export const buildGroup = 'build';
/** They wait for the network most of the time, and a host that stalls must not keep the others waiting. */
export const cloneGroup = 'clone';
/** The same of registries. */
export const pullGroup = 'pull';
