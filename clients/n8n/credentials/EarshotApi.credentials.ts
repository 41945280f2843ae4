import type {
  IAuthenticateGeneric,
  Icon,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from 'n8n-workflow';

/** The address of a service and an API key of an account of it. */
export class EarshotApi implements ICredentialType {
  name = 'earshotApi';
  displayName = 'Earshot API';
  icon: Icon = { light: 'file:../nodes/Earshot/earshot.svg', dark: 'file:../nodes/Earshot/earshot.dark.svg' };
  properties: INodeProperties[] = [
    {
      displayName: 'Address of the Service',
      name: 'baseUrl',
      type: 'string',
      default: 'http://127.0.0.1:3000',
      required: true,
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
    },
  ];
  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };
  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.baseUrl}}', url: '/api/v1/account' },
  };
}
