"""The site's addresses with those of every provider, which the settings add where one is configured."""

from allauth.socialaccount.providers.github.urls import urlpatterns as github
from allauth.socialaccount.providers.openid_connect.urls import urlpatterns as openid_connect
from allauth.socialaccount.providers.orcid.urls import urlpatterns as orcid
from django.urls import include, path

from server.config import urls

urlpatterns = [path("accounts/", include([*github, *orcid, *openid_connect])), *urls.urlpatterns]
handler400, handler403, handler404 = urls.handler400, urls.handler403, urls.handler404
handler429, handler500 = urls.handler429, urls.handler500
