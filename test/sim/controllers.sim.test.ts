import { keepsItsPromises } from './histories.ts';

keepsItsPromises(0);
